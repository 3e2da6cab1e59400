package org.lockstorm.locks;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The thread that a lock belongs to, from its acquisition to its release: Redisson tells owners apart by their threads, so each
 * acquisition has one of its own.
 */
final class Holder implements AutoCloseable {
  private final ExecutorService thread = Executors.newSingleThreadExecutor(work -> {
    Thread made = new Thread(work, "holder");
    made.setDaemon(true);
    return made;
  });

  /** Runs this in the thread of the owner. */
  <T> T call(Callable<T> work) throws Exception {
    try {
      return thread.submit(work).get();
    } catch (ExecutionException error) {
      if (error.getCause() instanceof Exception cause) throw cause;
      throw error;
    }
  }

  /** What Redisson calls the thread. */
  long threadId() throws Exception {
    return call(() -> Thread.currentThread().getId());
  }

  @Override
  public void close() {
    thread.shutdown();
  }
}
