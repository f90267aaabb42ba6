const most = 30;

/** How many calls of hosted tools are allowed at most; more than 30 are read as 30 (docs/spec/requests.md#fields). */
export function toolCallLimit(wanted: number | undefined): number | undefined {
  return wanted === undefined ? undefined : Math.min(wanted, most);
}
