import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

export const failureOfImport = (specifier) => import(specifier).catch(({ code, message }) => ({ code, message }));

export const codeOfRequire = (specifier) => {
  try {
    require(specifier);
    return "found";
  } catch (error) {
    return error.code;
  }
};

export const importOther = (query) => import(`./counting-library/module.mjs${query}`);
