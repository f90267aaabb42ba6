import type { BuiltinSlug } from './guardrail.ts';

/** What a built-in detector is called. */
export interface BuiltinName {
  /** For people: what a message says was found. */
  readonly label: string;
  /** What replaces text that is redacted. */
  readonly placeholder: string;
  /** What pipeline entries call it. */
  readonly entity: string;
}

/** The names of the built-in detectors (docs/spec/guardrails.md#built-in-filters). */
export const builtinNames: Readonly<Record<BuiltinSlug, BuiltinName>> = {
  email: named('Email address', 'EMAIL'),
  phone: named('Phone number', 'PHONE'),
  ssn: named('Social security number', 'SSN'),
  'credit-card': named('Credit card number', 'CREDIT_CARD'),
  'ip-address': named('IP address', 'IP_ADDRESS'),
  'person-name': named('Person name', 'PERSON_NAME'),
  address: named('Address', 'ADDRESS'),
  'regex-prompt-injection': named('Prompt injection', 'PROMPT_INJECTION'),
};

function named(label: string, entity: string): BuiltinName {
  return { label, placeholder: `[${entity}]`, entity };
}
