import type { LockDriver } from "../../core/lock-driver.ts";

/** Grants everything as `<client>-<count>`, and says at each release that the lease was lost before. */
export const driver: LockDriver = {
  connect: async ({ client }) => {
    let count = 0;
    let tell: (lost: { readonly key: string; readonly owner: string }) => void = () => {};
    return {
      acquire: async (key) => ({ type: "ok", value: { key, owner: `${client}-${(count += 1)}` } }),
      release: async ({ key, owner }) => {
        tell({ key, owner });
        return { type: "ok", value: { released: true } };
      },
      onLost: (listener) => {
        tell = listener;
      },
      [Symbol.asyncDispose]: async () => {},
    };
  },
};
