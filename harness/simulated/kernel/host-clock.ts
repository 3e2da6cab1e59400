/**
 * The two clocks of a host, in microseconds. The monotonic clock starts at 0 when the host is made and runs at `rate`
 * times true time. The wall clock shows the epoch plus the monotonic time plus an offset: it runs at the same rate, and
 * jumps move only it, as on a real machine whose clock is set.
 */
export class HostClock {
  readonly #trueNowUs: () => number;
  readonly #onRateChange: () => void;
  readonly #epochUs: number;
  #anchorTrueUs: number;
  #anchorMonotonicUs = 0;
  #rate = 1;
  #offsetUs = 0;

  /**
   * @param epochUs the wall clock at true time 0
   * @param onRateChange called after the rate has changed
   */
  constructor(epochUs: number, trueNowUs: () => number, onRateChange: () => void) {
    this.#trueNowUs = trueNowUs;
    this.#onRateChange = onRateChange;
    this.#anchorTrueUs = trueNowUs();
    this.#epochUs = epochUs + this.#anchorTrueUs;
  }

  /** How fast both clocks run; 1.01 gains 1 %. */
  get rate(): number {
    return this.#rate;
  }

  /** How far the wall clock has been set away from its natural value, positive or negative. */
  get offsetUs(): number {
    return this.#offsetUs;
  }

  monotonicUs(): number {
    return this.#anchorMonotonicUs + (this.#trueNowUs() - this.#anchorTrueUs) * this.#rate;
  }

  /** Since 1970-01-01 UTC. May have a fraction when the rate is not 1. */
  wallUs(): number {
    return this.#epochUs + this.monotonicUs() + this.#offsetUs;
  }

  /** What `Date.now()` gives: whole milliseconds since 1970-01-01 UTC. */
  wallMs(): number {
    return Math.floor(this.wallUs() / 1000);
  }

  /** Steps the wall clock forward (or back, if negative). Timers do not notice. */
  jump(us: number): void {
    this.#offsetUs += us;
  }

  /**
   * Changes the speed of both clocks from now on; their current values stay.
   * @throws RangeError unless positive
   */
  setRate(rate: number): void {
    if (!(rate > 0 && Number.isFinite(rate))) throw new RangeError(`a clock's rate must be positive, not ${rate}`);
    this.#anchorMonotonicUs = this.monotonicUs();
    this.#anchorTrueUs = this.#trueNowUs();
    this.#rate = rate;
    this.#onRateChange();
  }

  /** The first whole microsecond of true time at which the monotonic clock shows `monotonicUs` or more. */
  trueTimeOf(monotonicUs: number): number {
    const exact = this.#anchorTrueUs + (monotonicUs - this.#anchorMonotonicUs) / this.#rate;
    return Math.max(this.#trueNowUs(), Math.ceil(exact));
  }
}
