import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { type DeclaredType, readDeclarations } from '../../test/support/declarations.ts';
import type { CanonicalRequest } from '../core/request.ts';
import type { TextPlace } from './free-objects.ts';
import { rewriteTexts } from './rewrite-texts.ts';

/**
 * What filters make of every member of a request that may hold a caller's words. Members that are numbers, switches or words of
 * a closed list are classed by their types. A member that is new fails the first test until it has a line here, and the second one
 * until it is read as the line says.
 */
const classes = {
  /** Read, and replaced where a filter redacts. */
  text: [
    'CanonicalChat.instructions',
    'CanonicalChat.prediction',
    'EmbeddingInput',
    'MessagesExtra.attribution',
    'TextFormat.description',
    'TextPart.text',
    'RefusalPart.text',
    'BlockPart.text',
    'FilePart.filename',
    'FilePart.context',
    'ReasoningItem.summary',
    'ReasoningItem.content',
    'CallItem.input',
    'FunctionTool.description',
    'CustomTool.description',
    'CustomTool.grammar.definition',
    'NamespaceTool.description',
  ],
  /** The same with all names and values in it. */
  object: [
    'CanonicalChat.speech',
    'CanonicalChat.imageConfig',
    'CanonicalChat.prompt',
    'MessagesExtra.members',
    'MessagesExtra.taskBudget',
    'TextFormat.schema',
    'ItemBase.extra',
    'HostedItem.fields',
    'ServiceItem.fields',
    'BlockPart.block',
    'FunctionTool.parameters',
    'FunctionTool.outputSchema',
    'FunctionTool.extra',
    'HostedTool.settings',
    'ServiceTool.settings',
    'AdditionalToolsItem.others',
  ],
  /** Read; left out with its likes where a filter redacts, because they are about the text as it was. */
  about: [
    'TextPart.citations',
    'Annotation.url',
    'Annotation.title',
    'Annotation.content',
    'Annotation.filename',
    'Annotation.file_id',
    'Annotation.citation',
    'TokenLogprob.token',
  ],
  /** Read, and never replaced: redacting blocks. */
  name: [
    'CanonicalChat.include',
    'CanonicalChat.promptCacheKey',
    'CanonicalChat.promptCacheOptions.ttl',
    'CanonicalChat.betas',
    'CanonicalEmbedding.inputType',
    'Sampling.stop',
    'StopCondition.toolName',
    'StopCondition.reason',
    'TextFormat.name',
    'ToolChoice.name',
    'ToolChoice.namespace',
    'ToolChoice.names',
    'ToolChoice.type',
    'FunctionTool.name',
    'CustomTool.name',
    'NamespaceTool.name',
    'HostedTool.type',
    'ServiceTool.spelled',
    'ItemBase.id',
    'CallItem.callId',
    'CallItem.name',
    'CallItem.namespace',
    'CallOutputItem.callId',
    'HostedItem.status',
    'AgentMessageItem.author',
    'AgentMessageItem.recipient',
    'ImagePart.fileId',
    'FilePart.fileId',
  ],
  /** Not read where the bytes are what the member is for, or it is an address that is fetched; else read. */
  media: ['ImagePart.url', 'FilePart.data', 'FilePart.url', 'AudioPart.data', 'VideoPart.url'],
  /** Not read where it looks like what only its maker can read; else read, and never replaced. */
  sealed: [
    'ReasoningItem.encrypted',
    'ReasoningItem.signature',
    'EncryptedPart.encrypted',
    'CompactionItem.encrypted',
  ],
  /** Not read: the gateway wrote it, or it holds nothing but numbers. */
  unread: [
    // Where a part stands in the body, for messages.
    'Placed.path',
    // A hash.
    'RequestBase.endUser',
    // Names of settings in a format.
    'CanonicalChat.names',
    // Numbers of tokens.
    'Sampling.logitBias',
  ],
} as const;

type Class = keyof typeof classes;
const classOf = new Map<string, Class>(
  (Object.entries(classes) as [Class, readonly string[]][]).flatMap(([name, members]) =>
    members.map((member): [string, Class] => [member, name]),
  ),
);

const core = join(import.meta.dirname, '../core');
const declarations = readDeclarations(
  ['request', 'content', 'tool', 'delta', 'stop-condition', 'hosted'].map((file) => join(core, `${file}.ts`)),
);
/** Lists of words, and names of literals. */
const words = /^(efforts|Effort|ReasoningFormat|Modality|reasoningFormats)$/;

/** What stands in a member in a sample. */
const markOf = (member: string) => `<${member}>`;
const png = Buffer.from('89504e470d0a1a0a', 'hex').toString('base64');
const mp3 = Buffer.from('49443304000000', 'hex').toString('base64');
const mp4 = Buffer.from('000000186674797069736f6d', 'hex').toString('base64');
const pdf = Buffer.from('%PDF-1.7').toString('base64');

type Fill = (member: string) => string;

/** All forms of a type, with every member filled. */
function formsOf(type: DeclaredType, member: string, fill: Fill, within: readonly string[]): unknown[] {
  switch (type.kind) {
    case 'string':
      return [fill(member)];
    case 'number':
      return [1];
    case 'boolean':
      return [true];
    case 'literal':
      return [type.value];
    case 'object':
      return [{ [`${fill(member)} key`]: { list: [fill(member)], number: 12 } }];
    case 'record':
      return [{ [fill(member)]: formsOf(type.of, member, fill, within)[0] }];
    case 'map':
      return [new Map()];
    case 'list':
      return [formsOf(type.of, member, fill, within)];
    case 'union':
      return type.of.flatMap((one) => formsOf(one, member, fill, within));
    case 'members':
      return objectsOf(type, member, fill, within);
    case 'reference':
      return formsOfNamed(type.name, fill, within);
  }
}

function formsOfNamed(name: string, fill: Fill, within: readonly string[]): unknown[] {
  if (words.test(name)) return ['word'];
  // Workers hold items again.
  if (within.filter((one) => one === name).length > 1) return [];
  const declared = declarations.get(name);
  assert.ok(declared, `the declaration of ${name} is not found; add its file to this test`);
  const inside = [...within, name];
  const own = formsOf(declared.type, name, fill, inside);
  const inherited = declared.bases.flatMap((base) => formsOfNamed(base, fill, inside));
  return inherited.length === 0 ? own : own.map((one) => Object.assign({}, ...inherited, one));
}

/** As many objects as the member with the most forms has. */
function objectsOf(
  type: DeclaredType & { readonly kind: 'members' },
  owner: string,
  fill: Fill,
  within: readonly string[],
): object[] {
  const members = type.of.map(({ name, type: of }) => ({
    name,
    forms: formsOf(of, `${owner}.${name}`, fill, within),
  }));
  const most = Math.max(1, ...members.map(({ forms }) => forms.length));
  return Array.from({ length: most }, (_, index) =>
    Object.fromEntries(
      members.flatMap(({ name, forms }) => (forms.length === 0 ? [] : [[name, forms[index % forms.length]]])),
    ),
  );
}

const samples = (fill: Fill) => formsOfNamed('CanonicalRequest', fill, []) as CanonicalRequest[];

/** Every text of all samples, as filters get it. */
function read(requests: readonly CanonicalRequest[]): readonly (readonly [text: string, place: TextPlace])[] {
  const texts: [string, TextPlace][] = [];
  for (const request of requests) {
    rewriteTexts(request, {
      text(text, place) {
        texts.push([text, place]);
        return text;
      },
      joined(all, place) {
        for (const text of all) texts.push([text, place]);
        return all;
      },
    });
  }
  return texts;
}

test('every member of a request that may hold words is classed', () => {
  const found = new Set<string>();
  samples((member) => {
    found.add(member);
    return '';
  });
  assert.deepEqual([...found].sort(), [...classOf.keys()].sort());
});

test('every member is read as its class says', () => {
  const texts = read(samples(markOf));
  for (const [member, of] of classOf) {
    const seen = texts.filter(([text]) => text.includes(markOf(member)));
    if (of === 'unread') assert.equal(seen.length, 0, member);
    else assert.ok(seen.length > 0, `${member} is not read`);
    const isName = of === 'name' || of === 'sealed';
    for (const [text, place] of seen) {
      // Media that are no Base64 cannot be replaced either, and citations hold ids.
      if (of === 'media' || of === 'about') continue;
      assert.equal(place.isName === true, isName, `${member}: ${text}`);
    }
    if (of !== 'object') continue;
    assert.ok(
      seen.some(([text]) => text === `${markOf(member)} key`),
      `names in ${member} are not read`,
    );
    assert.ok(
      seen.some(([text]) => text === markOf(member)),
      `values in ${member} are not read`,
    );
  }
});

test('what is redacted is nowhere afterwards, and names and ids are as they were', () => {
  const redacted = samples(markOf).map((request) =>
    rewriteTexts(request, {
      text: (text, { isName }) => (isName === true ? text : text.replaceAll(/<[^>]*>/g, 'X')),
      joined: (all) => all.map((text) => text.replaceAll(/<[^>]*>/g, 'X')),
    }),
  );
  const left = JSON.stringify(redacted);
  for (const [member, of] of classOf) {
    if (of === 'media' || member === 'Annotation.file_id') continue;
    const isLeft =
      of === 'name' || of === 'unread' || (member.endsWith('.encrypted') && !member.startsWith('Reasoning'));
    assert.equal(left.includes(markOf(member)), isLeft, member);
  }
});

test('only media with the signature of their kind, seals and addresses that are fetched pass unread', () => {
  const real: Readonly<Record<string, readonly string[]>> = {
    'ImagePart.url': [`data:image/png;base64,${png}`, 'https://site.example/a.png'],
    'FilePart.data': [pdf, `data:application/pdf;base64,${pdf}`],
    'FilePart.url': ['https://site.example/a.pdf', `data:application/pdf;base64,${pdf}`],
    'AudioPart.data': [mp3],
    'VideoPart.url': [`data:video/mp4;base64,${mp4}`, 'https://site.example/a.mp4'],
    ...Object.fromEntries(classes.sealed.map((member) => [member, ['QUJD'.repeat(9)]])),
  };
  assert.deepEqual(Object.keys(real).sort(), [...classes.media, ...classes.sealed].sort());
  for (const [member, values] of Object.entries(real)) {
    for (const value of values) {
      const seen = (fill: string) =>
        read(samples((other) => (other === member ? fill : ''))).filter(
          ([text]) => text !== '' && fill.includes(text) && !/^\w+\/\w+;base64$/.test(text),
        );
      assert.deepEqual(seen(value), [], `${member}: ${value}`);
      const text = value.replace(/[^,]*$/, Buffer.from('said by Jane').toString('base64'));
      if (value.startsWith('https:')) continue;
      const said = read(samples((other) => (other === member ? text : ''))).map(([one]) => one);
      if (!classes.sealed.includes(member as never))
        assert.ok(said.includes('said by Jane'), `${member}: ${text}`);
    }
  }
});
