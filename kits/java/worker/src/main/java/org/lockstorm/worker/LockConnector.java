package org.lockstorm.worker;

/** Connects a client of the lock. */
@FunctionalInterface
public interface LockConnector {
  /**
   * Connects one client.
   *
   * @param environment who the client is, and where its servers are
   * @return the client, when it is ready for operations
   * @throws Exception when it cannot connect; lockstorm then says why in one line
   */
  LockClient connect(Environment environment) throws Exception;
}
