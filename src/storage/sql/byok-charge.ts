import type { ByokTerms } from '../../core/byok-fee.ts';

/** A charge line whose fee the month so far decides. */
export interface ByokCharge {
  readonly line: string;
  readonly terms: ByokTerms;
}
