/** `1st`, `2nd`, `3rd`, `4th`, … */
export function ordinal(count: number): string {
  const teen = count % 100 > 10 && count % 100 < 14;
  return `${count}${(teen ? undefined : ["th", "st", "nd", "rd"][count % 10]) ?? "th"}`;
}

/** A list in a sentence: `a`, `a and b`, `a, b and c`. */
export function listed(items: readonly string[]): string {
  if (items.length < 2) return items.join("");
  return `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}
