/** The first thing that does not fit a schema, with the path of its field: `value.data: Invalid input ...`, or `value: missing`. */
export function firstIssue(error: {
  readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
}): string {
  const issue = error.issues[0];
  if (issue === undefined) return "does not fit the format";
  const path = issue.path.map(String).join(".");
  if (path === "") return issue.message;
  // JSON has no word for what is not there.
  return `${path}: ${issue.message.endsWith("received undefined") ? "missing" : issue.message}`;
}
