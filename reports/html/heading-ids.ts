/**
 * Gives headings of one Markdown page the ids that GitHub gives them, in their order: lower case, without punctuation,
 * and with a number where another heading before has the same.
 */
export function headingIds(): (heading: string) => string {
  const given = new Map<string, number>();
  return (heading) => {
    const id = heading
      .toLowerCase()
      .replaceAll(/[^\w -]/g, "")
      .replaceAll(" ", "-");
    const before = given.get(id) ?? 0;
    given.set(id, before + 1);
    return before === 0 ? id : `${id}-${before}`;
  };
}
