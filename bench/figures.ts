/** One line of the report: the same thing measured at both gateways in the same run. */
export interface Figure {
  readonly key: string;
  readonly label: string;
  readonly unit: string;
  readonly better: 'higher' | 'lower';
  readonly yardstick: number;
  readonly subject: number;
}

/** What one part of a run found. */
export interface PartResult {
  readonly figures: readonly Figure[];
  /** Everything measured, phase by phase, for the JSON report. */
  readonly phases: readonly object[];
  /** Sentences a reader of the figures must know. */
  readonly notes: readonly string[];
}
