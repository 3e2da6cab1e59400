/**
 * Decimal digits of a double by Loitsch's Grisu2 ("Printing Floating-Point Numbers Quickly and Accurately with
 * Integers", PLDI 2010). Redis prints with it, and in about one case of a thousand it finds a digit more than the
 * shortest, which is why JavaScript's own digits are not enough. The value is `digits * 10^power`.
 */
export function shortestDigits(value: number): { digits: string; power: number } {
  if (Number.isSafeInteger(value)) {
    const text = String(value);
    const digits = text.replace(/0+$/, "");
    return { digits, power: text.length - digits.length };
  }
  const { fraction, exponent } = decompose(value);
  // Boundaries: half way to the neighbours, brought to the exponent of the upper one.
  const upper = normalized({ fraction: (fraction << 1n) + 1n, exponent: exponent - 1 });
  const shift = fraction === 1n << 52n ? 2 : 1;
  const lowerFraction = (fraction << BigInt(shift)) - 1n;
  const lower = { fraction: lowerFraction << BigInt(exponent - shift - upper.exponent), exponent: upper.exponent };
  const power = powerFor(upper.exponent);
  const scale = cachedPower(power);
  return generate(
    multiply(normalized({ fraction, exponent }), scale),
    { ...multiply(upper, scale), fraction: multiply(upper, scale).fraction - 1n },
    multiply(lower, scale).fraction + 1n,
    -power,
  );
}

/** `fraction * 2^exponent`. */
interface Scaled {
  readonly fraction: bigint;
  readonly exponent: number;
}

const view = new DataView(new ArrayBuffer(8));

function decompose(value: number): Scaled {
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const biased = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & ((1n << 52n) - 1n);
  return biased === 0 ? { fraction, exponent: -1074 } : { fraction: fraction + (1n << 52n), exponent: biased - 1075 };
}

function normalized({ fraction, exponent }: Scaled): Scaled {
  const shift = 64 - fraction.toString(2).length;
  return { fraction: fraction << BigInt(shift), exponent: exponent - shift };
}

function multiply(a: Scaled, b: Scaled): Scaled {
  return { fraction: (a.fraction * b.fraction + (1n << 63n)) >> 64n, exponent: a.exponent + b.exponent + 64 };
}

/**
 * Powers of ten are tabled in steps of eight from 10^-348; this takes the one that brings the exponent into [-60, -32].
 */
const FIRST_POWER = -348;
const STEP = 8;
const TABLED = 87;

function powerFor(exponent: number): number {
  const LOG10_2 = 0.30102999566398114;
  const approximate = Math.trunc(-(exponent + TABLED) * LOG10_2);
  let index = Math.trunc((approximate - FIRST_POWER) / STEP);
  for (;;) {
    const current = exponent + cachedPower(FIRST_POWER + index * STEP).exponent + 64;
    if (current < -60) index += 1;
    else if (current > -32) index -= 1;
    else return FIRST_POWER + index * STEP;
  }
}

const powers = new Map<number, Scaled>();

/** 10^power with a 64-bit fraction, rounded to nearest. */
function cachedPower(power: number): Scaled {
  const known = powers.get(power);
  if (known !== undefined) return known;
  const ten = 10n ** BigInt(Math.abs(power));
  const bits = ten.toString(2).length;
  let result: Scaled;
  if (power >= 0) {
    result = roundTo64(ten, 0);
  } else {
    result = roundTo64((1n << BigInt(bits + 160)) / ten, -(bits + 160));
  }
  powers.set(power, result);
  return result;
}

function roundTo64(fraction: bigint, exponent: number): Scaled {
  const excess = fraction.toString(2).length - 64;
  if (excess <= 0) return { fraction: fraction << BigInt(-excess), exponent: exponent + excess };
  const rounded = (fraction + (1n << BigInt(excess - 1))) >> BigInt(excess);
  return rounded >> 64n === 0n
    ? { fraction: rounded, exponent: exponent + excess }
    : { fraction: rounded >> 1n, exponent: exponent + excess + 1 };
}

function generate(
  value: Scaled,
  upper: Scaled,
  lowerFraction: bigint,
  power: number,
): { digits: string; power: number } {
  const shift = BigInt(-upper.exponent);
  const one = 1n << shift;
  const distance = upper.fraction - value.fraction;
  let delta = upper.fraction - lowerFraction;
  let whole = upper.fraction >> shift;
  let rest = upper.fraction & (one - 1n);
  const digits: number[] = [];
  let kappa = 10;
  for (let divisor = 1000000000n; kappa > 0; divisor /= 10n) {
    const digit = Number(whole / divisor);
    if (digit !== 0 || digits.length > 0) digits.push(digit);
    whole %= divisor;
    kappa -= 1;
    const remainder = (whole << shift) + rest;
    if (remainder <= delta) {
      roundLast(digits, delta, remainder, divisor << shift, distance);
      return { digits: digits.join(""), power: power + kappa };
    }
  }
  for (let unit = 10n; ; unit *= 10n) {
    rest *= 10n;
    delta *= 10n;
    kappa -= 1;
    const digit = Number(rest >> shift);
    if (digit !== 0 || digits.length > 0) digits.push(digit);
    rest &= one - 1n;
    if (rest < delta) {
      roundLast(digits, delta, rest, one, distance * unit);
      return { digits: digits.join(""), power: power + kappa };
    }
  }
}

/** Lowers the last digit while that brings the text closer to the value and stays within the boundaries. */
function roundLast(digits: number[], delta: bigint, remainder: bigint, unit: bigint, distance: bigint): void {
  let rest = remainder;
  while (
    rest < distance &&
    delta - rest >= unit &&
    (rest + unit < distance || distance - rest > rest + unit - distance)
  ) {
    digits[digits.length - 1] = (digits.at(-1) ?? 0) - 1;
    rest += unit;
  }
}
