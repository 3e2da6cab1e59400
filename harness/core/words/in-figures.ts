/**
 * A number as people read it: `1760` -> `1,760`. All text that is not read by programs writes numbers so; JSON, plans,
 * flags and seeds do not.
 * @param digits how many digits follow the point; without it, as many as the number has
 */
export function inFigures(value: number, digits?: number): string {
  const [whole = "", fraction] = (digits === undefined ? String(value) : value.toFixed(digits)).split(".");
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}
