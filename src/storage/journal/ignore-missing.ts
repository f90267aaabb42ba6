/** Nothing in place of a file that is not there. @throws any other failure as it is. */
export function ignoreMissing(error: unknown): undefined {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  return undefined;
}
