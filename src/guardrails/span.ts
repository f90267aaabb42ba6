/** A piece of a text that a filter found: from `start` until before `end`, in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}
