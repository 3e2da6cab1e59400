import type { Fault } from "../../core/fault.ts";

/**
 * The same faults, each injected and healed so much later, as on real servers: a fault takes effect only when it is done.
 * Who waits for it waits as long.
 */
export function slowFaults(faults: readonly Fault[], lateMs: number): readonly Fault[] {
  return faults.map((fault) => ({
    ...fault,
    read: (params) => {
      const inject = fault.read(params);
      return async (system) => {
        await system.clock.sleep(lateMs);
        const { heal, ...injected } = await inject(system);
        if (heal === undefined) return injected;
        return {
          ...injected,
          heal: async () => {
            await system.clock.sleep(lateMs);
            return heal();
          },
        };
      };
    },
  }));
}
