import type { LibraryFunction } from "./library.ts";

const MOST = 0x7fff_ffff;

/** The library `math` (reference manual, section 5.6), with Redis' random numbers in place of C's. */
export function mathLibrary(random: Drand48): Readonly<Record<string, LibraryFunction>> {
  const one =
    (compute: (value: number) => number): LibraryFunction =>
    (args) =>
      compute(args.number(1));
  const extreme =
    (better: (value: number, best: number) => boolean): LibraryFunction =>
    (args) => {
      let best = args.number(1);
      for (let position = 2; position <= args.count; position += 1) {
        const value = args.number(position);
        if (better(value, best)) best = value;
      }
      return best;
    };
  return {
    abs: one(Math.abs),
    acos: one(Math.acos),
    asin: one(Math.asin),
    atan: one(Math.atan),
    atan2: (args) => Math.atan2(args.number(1), args.number(2)),
    ceil: one(Math.ceil),
    cos: one(Math.cos),
    cosh: one(Math.cosh),
    deg: one((value) => value / (Math.PI / 180)),
    exp: one(Math.exp),
    floor: one(Math.floor),
    fmod: (args) => args.number(1) % args.number(2),
    mod: (args) => args.number(1) % args.number(2),
    frexp: (args) => frexp(args.number(1)),
    ldexp: (args) => args.number(1) * 2 ** args.int(2),
    log: one(Math.log),
    log10: one(Math.log10),
    max: extreme((value, best) => value > best),
    min: extreme((value, best) => value < best),
    modf: (args) => {
      const value = args.number(1);
      const whole = Math.trunc(value);
      const fraction = Number.isFinite(value) ? value - whole : 0;
      // The fraction has the sign of the whole.
      return [whole, fraction === 0 && (value < 0 || Object.is(value, -0)) ? -0 : fraction];
    },
    pow: (args) => args.number(1) ** args.number(2),
    rad: one((value) => value * (Math.PI / 180)),
    random: (args) => {
      const fraction = (random.next() % MOST) / MOST;
      if (args.count === 0) return fraction;
      if (args.count > 2) throw args.failure("wrong number of arguments");
      const low = args.count === 1 ? 1 : args.int(1);
      const high = args.int(args.count);
      if (low > high) throw args.error(args.count, "interval is empty");
      return Math.floor(fraction * (high - low + 1)) + low;
    },
    randomseed: (args) => {
      random.seed(args.int(1));
      return undefined;
    },
    sin: one(Math.sin),
    sinh: one(Math.sinh),
    sqrt: one(Math.sqrt),
    tan: one(Math.tan),
    tanh: one(Math.tanh),
  };
}

function frexp(value: number): readonly [number, number] {
  if (value === 0 || !Number.isFinite(value)) return [value, 0];
  let exponent = Math.max(-1074, Math.floor(Math.log2(Math.abs(value))) + 1);
  let mantissa = value * 2 ** -exponent;
  while (Math.abs(mantissa) < 0.5) [mantissa, exponent] = [mantissa * 2, exponent - 1];
  while (Math.abs(mantissa) >= 1) [mantissa, exponent] = [mantissa / 2, exponent + 1];
  return [mantissa, exponent];
}

/**
 * The linear congruential generator of POSIX' lrand48. Since Redis 7.0 a server never seeds it: it starts with the
 * process, and continues from script to script.
 */
export class Drand48 {
  #state = 0x1234_abcd_330en;

  seed(value: number): void {
    this.#state = (BigInt.asUintN(32, BigInt(value)) << 16n) | 0x330en;
  }

  next(): number {
    this.#state = BigInt.asUintN(48, this.#state * 0x5_deec_e66dn + 0xbn);
    return Number(this.#state >> 17n);
  }
}
