package org.lockstorm.worker;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * What the lock can do. It decides what lockstorm asks for.
 *
 * @param extension which extensions of a lease it can give
 * @param ttlGranularityMs leases are whole multiples of so many milliseconds
 * @param reentrant whether a holder may acquire again what it holds
 * @param fence whether its grants carry a fencing token
 * @param waits whether {@code acquire} can wait for another holder
 * @param permits whether it is a semaphore: {@link LockClient#acquirePermits}
 * @param modes whether it is a read-write lock: {@link LockClient#acquireMode}
 * @param fair whether waiting clients are granted the lock in the order in which they came: {@link Environment#queued}
 * @param severalKeys whether it takes several keys in one acquisition: {@link LockClient#acquireKeys}
 */
public record Capabilities(
    Extension extension,
    long ttlGranularityMs,
    boolean reentrant,
    boolean fence,
    boolean waits,
    boolean permits,
    boolean modes,
    boolean fair,
    boolean severalKeys) {
  /** A lock that can be acquired and released, for any lease. */
  public static final Capabilities NONE = new Capabilities(Extension.NONE, 1, false, false, false);

  /**
   * A lock that one client holds at a time.
   *
   * @param extension which extensions of a lease it can give
   * @param ttlGranularityMs leases are whole multiples of so many milliseconds
   * @param reentrant whether a holder may acquire again what it holds
   * @param fence whether its grants carry a fencing token
   * @param waits whether {@code acquire} can wait for another holder
   */
  public Capabilities(Extension extension, long ttlGranularityMs, boolean reentrant, boolean fence, boolean waits) {
    this(extension, ttlGranularityMs, reentrant, fence, waits, false, false, false, false);
  }

  /** Which extensions a lock can give. */
  public enum Extension {
    /** None. */
    NONE,
    /** An extension always gives the lease its first length again. */
    SAME,
    /** Any length. */
    ANY
  }

  /**
   * The same, with extensions.
   *
   * @param possible those that it can give
   * @return further capabilities
   */
  public Capabilities withExtension(Extension possible) {
    return new Capabilities(possible, ttlGranularityMs, reentrant, fence, waits, permits, modes, fair, severalKeys);
  }

  /**
   * The same, with leases in steps.
   *
   * @param stepMs the step
   * @return further capabilities
   */
  public Capabilities withTtlGranularityMs(long stepMs) {
    return new Capabilities(extension, stepMs, reentrant, fence, waits, permits, modes, fair, severalKeys);
  }

  /**
   * The same, of a lock whose holder may acquire it again.
   *
   * @return further capabilities
   */
  public Capabilities withReentry() {
    return new Capabilities(extension, ttlGranularityMs, true, fence, waits, permits, modes, fair, severalKeys);
  }

  /**
   * The same, with fencing tokens.
   *
   * @return further capabilities
   */
  public Capabilities withFence() {
    return new Capabilities(extension, ttlGranularityMs, reentrant, true, waits, permits, modes, fair, severalKeys);
  }

  /**
   * The same, of a lock that can wait for another holder.
   *
   * @return further capabilities
   */
  public Capabilities withWaiting() {
    return new Capabilities(extension, ttlGranularityMs, reentrant, fence, true, permits, modes, fair, severalKeys);
  }

  /**
   * The same, of a semaphore.
   *
   * @return further capabilities
   */
  public Capabilities withPermits() {
    return new Capabilities(extension, ttlGranularityMs, reentrant, fence, waits, true, modes, fair, severalKeys);
  }

  /**
   * The same, of a read-write lock.
   *
   * @return further capabilities
   */
  public Capabilities withModes() {
    return new Capabilities(extension, ttlGranularityMs, reentrant, fence, waits, permits, true, fair, severalKeys);
  }

  /**
   * The same, of a lock that grants waiting clients in the order in which they came, and tells {@link Environment#queued}.
   *
   * @return further capabilities
   */
  public Capabilities withFairness() {
    return new Capabilities(extension, ttlGranularityMs, reentrant, fence, waits, permits, modes, true, severalKeys);
  }

  /**
   * The same, of a lock that takes several keys in one acquisition, all or none.
   *
   * @return further capabilities
   */
  public Capabilities withSeveralKeys() {
    return new Capabilities(extension, ttlGranularityMs, reentrant, fence, waits, permits, modes, fair, true);
  }

  /** As the protocol has them. */
  Map<String, Object> message() {
    Map<String, Object> message = new LinkedHashMap<>();
    message.put("extend", extension.name().toLowerCase(Locale.ROOT));
    message.put("ttlGranularityMs", ttlGranularityMs);
    message.put("reentrant", reentrant);
    message.put("fence", fence);
    message.put("waits", waits);
    message.put("supports", Map.of("permits", permits, "modes", modes, "severalKeys", severalKeys, "fair", fair));
    return message;
  }
}
