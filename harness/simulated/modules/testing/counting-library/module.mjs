import counting, { next } from "./index.js";

export const sameLibrary = counting.next === next;
export const url = import.meta.url;
export default () => next();
