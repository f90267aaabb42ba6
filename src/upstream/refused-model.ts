/** Codes and types by which providers say that they do not serve a model. */
const names =
  /^(model_?not_?found(_?error)?|model_not_available|model_not_supported|model_decommissioned|model_terminated|unknown_model|unavailable_model|invalid_model(_name|_id)?|no_such_model|deployment_?not_?found|invalidendpointormodel\.\w+)$/i;

/** Their sentences. Those about a parameter of a model, or about a model that is only busy, say something else. */
const sentences: readonly RegExp[] = [
  /\bmodels?\b[^\n]{0,120}?\b(do(es)?n?['’]?( not|t|)|not) exists?\b/i,
  /\b(model|deployment)s?\b[^\n]{0,160}?\b(not found|could not be found|no longer (available|supported|served)|been (decommissioned|deprecated|retired|removed|shut down|discontinued)|reached (the|its) end of (its )?life)/i,
  /\bmodels?\b[^\n]{0,120}?\bis not (available|supported for|served|deployed|enabled)\b(?![^\n]{0,40}(moment|currently|right now|try again|later))/i,
  /\bmodels?\b[^\n]{0,120}?\bnot supported (for|by|with) (generate|on-demand|any provider)/i,
  /\b(unknown|invalid|no such|unrecogni[sz]ed|unsupported|nonexistent) model\b(?! (output|response|parameter|setting|config))/i,
  /\bnot a valid model\b/i,
  /\bmodel (identifier|id|name|code)\b[^\n]{0,60}\b(invalid|unknown|not (valid|recognized|found))/i,
  /\bunexpected model name\b|\bnot found the model\b|\bunable to access (the )?model\b|\bno endpoints found for\b/i,
  /(\bno|not have|n['’]t have|\bwithout) access to (the |this )?model\b|\bdeployment\b[^\n]{0,80}\bdoes not exist\b/i,
  /模型不存在/,
];

/** Statuses that mean the request, the address or the credential; busy providers have others. */
const statuses: ReadonlySet<number> = new Set([400, 401, 403, 404, 410, 422]);

/** What a provider says of a refusal. */
interface Refusal {
  readonly message?: string | undefined;
  readonly providerCode?: string | undefined;
}

/**
 * Whether a provider does not serve the model it was asked for, whatever the status: then another endpoint may
 * (docs/spec/routing.md#outcomes).
 */
export function reportsUnknownModel(status: number, { message = '', providerCode = '' }: Refusal): boolean {
  if (!statuses.has(status)) return false;
  return names.test(providerCode) || sentences.some((sentence) => sentence.test(message.slice(0, 2000)));
}

const closed =
  /\b(organi[sz]ation|account|workspace|project|team|subscription)\b[^\n]{0,80}\b(disabled|deactivated|suspended|terminated|on hold|blocked)\b/i;

/** Whether the operator's account at a provider is closed, which no caller can mend. */
export function reportsClosedAccount(status: number, { message = '' }: Refusal): boolean {
  return statuses.has(status) && closed.test(message.slice(0, 2000));
}
