import type { Span } from '../span.ts';

/** One known form of prompt injection (docs/spec/guardrails.md#injection-families). */
export interface InjectionPattern {
  readonly name: string;
  /** In small letters: a text without any of them is not searched. */
  readonly keywords: readonly string[];
  /** Where a folded text has it. Takes time linear in the text. */
  readonly find: (text: string) => Iterable<Span>;
}

const rules = '(?:instructions?|rules?|guidelines?|constraints?|directives?)';
const filler = '(?:all\\s)?(?:of\\s)?(?:the\\s|your\\s|my\\s|these\\s|those\\s)?';
const kinds =
  'safety|security|system|operational|internal|core|original|initial|existing|given|stated|provided|defined|specified|established';
const whose = '(?:your|youre|yoru|ur|the|its|his|her|their|my|our)';
const system = '(?:system|sytem|systme|sysetm|sistem)';
const adjective = '(?:full|hidden|complete|internal|secret|original|entire|exact|actual|real)';
const harmful =
  '(?:without\\s(?:any\\s)?restrictions?|ignor(?:e|ing)\\s(?:all|previous)|bypass|unrestricted|unlimited|obeys?\\sonly|no\\s(?:rules|limits|boundaries))';

/** Every known form. Words stand one blank or line break apart, because texts are folded before. */
export const injectionPatterns: readonly InjectionPattern[] = [
  words(
    'ignore_previous_instructions',
    ['ignor'],
    `\\bignor(?:e|ing)\\s${filler}(?:previous|prior|above|preceding|earlier)\\s(?:(?:${kinds})\\s)?${rules}\\b`,
  ),
  words(
    'disregard_instructions',
    ['disregard'],
    `\\bdisregard\\s${filler}(?:previous|prior|above)\\s${rules}\\b`,
  ),
  words('forget_instructions', ['forget'], `\\bforget\\s${filler}(?:previous|prior|above)\\s${rules}\\b`),
  words('new_instructions', ['new instruction', 'new\ninstruction'], '\\bnew\\sinstructions?\\s?:'),
  words(
    'do_not_follow',
    ['follow'],
    '\\bdo\\snot\\sfollow\\s(?:the\\s)?(?:system|developer|previous|original)\\b',
  ),
  words(
    'supersede_instructions',
    ['supersede'],
    `\\bsupersedes?\\s(?:all\\s)?(?:prior|previous)\\s${rules}\\b`,
  ),
  words(
    'void_instructions',
    ['previous', 'prior'],
    `\\b(?:all\\s)?(?:previous|prior)\\s${rules}\\s(?:is|are)\\s(?:(?:now|hereby)\\s)?(?:void|invalid|null|obsolete|cancell?ed|revoked)\\b`,
  ),
  words('developer_mode', ['developer'], '\\byou\\sare\\snow\\s(?:in\\s)?developer\\smode\\b'),
  words('enter_special_mode', ['enter'], '\\benter\\s(?:developer|admin|debug|maintenance)\\smode\\b'),
  words('activate_special_mode', ['activate'], '\\bactivate\\s(?:developer|admin|debug|jailbreak)\\smode\\b'),
  words('system_override', ['system'], '\\bsystem\\soverride\\b'),
  words('override_instructions', ['override'], `\\boverride\\s(?:your\\s)?${rules}\\b`),
  words(
    'reveal_prompt',
    ['reveal'],
    `\\breveal\\s(?:${whose}\\s)?(?:${adjective}\\s){0,2}(?:${system}\\s)?prompt\\b`,
  ),
  words('show_prompt', ['show'], `\\bshow\\s(?:me\\s)?${whose}\\s(?:${system}\\s)?prompt\\b`),
  words('what_instructions', ['what'], '\\bwhat\\s(?:are|were)\\s(?:your\\s)?(?:exact\\s)?instructions\\b'),
  words(
    'repeat_instructions',
    ['repeat'],
    '\\brepeat\\s(?:the\\s)?(?:text|instructions?)\\s(?:above|before)\\b',
  ),
  words(
    'output_prompt',
    ['output'],
    `\\boutput\\s(?:your\\s)?(?:initial|original|${system})\\s(?:prompt|instructions?)\\b`,
  ),
  words(
    'remove_restrictions',
    ['no longer', 'no\nlonger'],
    '\\byou\\sare\\sno\\slonger\\s(?:bound|restricted|limited)\\b',
  ),
  words('act_unbound', ['not bound', 'not\nbound'], '\\bact\\sas\\sif\\s(?:you\\sare\\s)?not\\sbound\\b'),
  words(
    'pretend_different',
    ['pretend'],
    '\\bpretend\\s(?:you\\sare\\s)?(?:an?\\s)?different\\s(?:ai|assistant|model)\\b',
  ),
  words(
    'identity_hijack',
    ['are now', 'are\nnow'],
    `\\byou\\sare\\snow\\s(?:an?\\s)?\\w{1,40}\\b.{0,40}?\\b${harmful}\\b`,
  ),
  { name: 'dan_jailbreak', keywords: ['do anything now'], find: findPersona },
  words('jailbreak_mode', ['jailb'], '\\bjailbr(?:eak|oken|eaked)(?:ed)?\\s(?:mode|prompt)\\b'),
  words(
    'bypass_safety',
    ['bypass'],
    '\\bbypass\\s(?:your\\s|the\\s|all\\s)?(?:safety|security|content|ethical)\\s(?:filter|measure|guideline|restriction)s?\\b',
  ),
  words(
    'disable_safety',
    ['disable'],
    '\\bdisable\\s(?:your\\s|the\\s|all\\s)?(?:safety|security|content)\\s(?:filter|measure)s?\\b',
  ),
  words(
    'ignore_safety',
    ['ignore', 'disregard'],
    '\\b(?:ignore|disregard)\\s(?:all\\s)?(?:your\\s|the\\s)?(?:safety|security|ethical|content)\\s(?:guideline|rule|restriction|measure|filter|polic(?:y|ie)|protocol)s?\\b',
  ),
  words('system_tag_injection', ['system'], '<\\s?/?\\s?system\\s?/?\\s?>'),
  words(
    'role_tag_injection',
    ['assistant', 'developer', 'tool', 'function'],
    '<\\s?/?\\s?(?:assistant|developer|tool|function)\\s?/?\\s?>',
  ),
  words(
    'role_delimiter_injection',
    ['system', 'assistant', 'user'],
    '[\\])}>]\\n\\s?\\[?(?:system|assistant|user)\\]?\\s?:',
  ),
  words(
    'bracketed_role_spoofing',
    ['system', 'assistant', 'internal'],
    '\\[\\s?(?:system\\smessage|system|assistant|internal)\\s?\\]',
  ),
  words('system_prefix_spoofing', ['system:'], '^\\s?system:\\s', 'gim'),
  words(
    'control_token_injection',
    ['<|'],
    '<\\|(?:im_start|im_end|eot_id|start_header_id|end_header_id|endoftext)\\|>',
    'g',
  ),
  words('deepseek_control_token_injection', ['<｜'], '<｜(?:begin|end)▁of▁sentence｜>', 'g'),
];

function words(name: string, keywords: readonly string[], source: string, flags = 'gi'): InjectionPattern {
  const pattern = new RegExp(source, flags);
  return { name, keywords, find: (text) => matches(pattern, text) };
}

function* matches(pattern: RegExp, text: string): Generator<Span> {
  for (const { index, 0: found } of text.matchAll(pattern)) yield { start: index, end: index + found.length };
}

/** `DAN` as a word in capitals, and later on its line "do anything now". */
function* findPersona(text: string): Generator<Span> {
  let from = 0;
  for (const line of text.split('\n')) {
    const start = /\bDAN\b/.exec(line)?.index ?? -1;
    const promise = start < 0 ? -1 : line.toLowerCase().lastIndexOf('do anything now');
    if (promise > start) yield { start: from + start, end: from + promise + 'do anything now'.length };
    from += line.length + 1;
  }
}
