import type { SeededRandom } from './seeded-random.ts';

/** A way in which people write values of a kind. Where more than the value is written, the value stands in ⟦ and ⟧. */
type Format = (random: SeededRandom) => string;

/** A kind of personal data: eight ways in which it is written, and what only looks like it. */
export interface PersonalKind {
  readonly formats: readonly [Format, Format, Format, Format, Format, Format, Format, Format];
  readonly lookalikes: readonly Format[];
}

const names = ['maria', 'ben', 'lee', 'chidi', 'sofia', 'tom', 'yuki', 'omar', 'anna', 'raj', 'lena', 'josé'];
const surnames = [
  'okafor',
  'smith',
  'nguyen',
  'garcia',
  'weber',
  'rossi',
  'tanaka',
  'silva',
  'novak',
  'khan',
];
const words = ['river', 'stone', 'north', 'apple', 'cloud', 'maple', 'harbor', 'delta', 'orbit', 'amber'];
const tops = ['com', 'org', 'net', 'io', 'de', 'co.uk', 'com.br', 'museum', 'dev', 'ac.jp'];

const domain: Format = (random) => `${random.pick(words)}.${random.pick(tops)}`;
const plainNames = names.filter((name) => /^[a-z]+$/.test(name));

const email: PersonalKind = {
  formats: [
    (random) => `${random.pick(plainNames)}@${domain(random)}`,
    (random) => `${random.pick(plainNames)}.${random.pick(surnames)}@${domain(random)}`,
    (random) => `${random.pick(plainNames)}+${random.pick(words)}@${domain(random)}`,
    (random) => `${random.pick(plainNames)}_${random.digits(3)}@mail.${domain(random)}`,
    (random) => `${random.pick(plainNames).toUpperCase()}@${domain(random).toUpperCase()}`,
    (random) =>
      `${random.pick(plainNames).charAt(0)}-${random.pick(surnames)}@${random.pick(words)}-${domain(random)}`,
    (random) => `${random.pick(names)}@${random.pick(['bücher', 'müller', 'café'])}.de`,
    (random) => `${random.digits(6)}@${random.pick(words)}.${random.pick(words)}.${domain(random)}`,
  ],
  lookalikes: [
    (random) => `@${random.pick(plainNames)}_${random.pick(words)}`,
    () => 'user@host',
    (random) => `git@${random.pick(words)}:${random.pick(words)}/repo`,
    (random) => `${random.whole(2, 9)} @ $${random.whole(1, 90)}.50 each`,
    () => '@media (max-width: 60em)',
    (random) =>
      `npm install @${random.pick(words)}/${random.pick(words)}@${random.whole(1, 9)}.${random.whole(0, 9)}.${random.whole(0, 9)}`,
  ],
};

/** A number of North America that is assigned: area and exchange begin with 2 to 9. */
const american = (random: SeededRandom): [string, string, string] => [
  `${random.whole(2, 9)}${random.digits(2)}`,
  `${random.whole(2, 9)}${random.digits(2)}`,
  random.digits(4),
];
const phoneWith = (join: (area: string, exchange: string, line: string) => string): Format => {
  return (random) => join(...american(random));
};

const phone: PersonalKind = {
  formats: [
    phoneWith((area, exchange, line) => `${area}-${exchange}-${line}`),
    phoneWith((area, exchange, line) => `(${area}) ${exchange}-${line}`),
    phoneWith((area, exchange, line) => `${area}.${exchange}.${line}`),
    phoneWith((area, exchange, line) => `${area}${exchange}${line}`),
    phoneWith((area, exchange, line) => `+1 ${area} ${exchange} ${line}`),
    phoneWith((area, exchange, line) => `1-${area}-${exchange}-${line}`),
    (random) => `+44 20 ${random.digits(4, false)} ${random.digits(4)}`,
    (random) => `+49 ${random.whole(151, 179)} ${random.digits(8, false)}`,
  ],
  lookalikes: [
    (random) => `order ${random.digits(12, false)}`,
    (random) => `20${random.whole(10, 29)}-0${random.whole(1, 9)}-${random.whole(10, 28)}`,
    (random) => `ISBN 978-${random.whole(0, 9)}-${random.digits(2)}-${random.digits(6)}-${random.digits(1)}`,
    (random) => `${random.digits(7, false)}.${random.digits(2)} USD`,
    (random) => `build ${random.digits(8)}`,
    (random) => `created_at ${random.whole(1_600_000_000, 1_999_999_999)}`,
    (random) => `sha ${random.letters(40, '0123456789abcdef')}`,
    (random) => `${random.letters(4)}${random.digits(10)}${random.letters(3)}`,
    (random) => `${random.whole(10, 89)}.${random.digits(6)}, ${random.whole(10, 170)}.${random.digits(6)}`,
    (random) => `${random.digits(4, false)} ${random.digits(4)} ${random.digits(4)} ${random.digits(4)}`,
  ],
};

/** The numbers that were issued: area 001 to 899 without 666, no group of zeros. */
const issued: Format = (random) => {
  let area = random.whole(1, 899);
  if (area === 666) area = 665;
  const pad = (number: number, width: number) => String(number).padStart(width, '0');
  return `${pad(area, 3)}-${pad(random.whole(1, 99), 2)}-${pad(random.whole(1, 9999), 4)}`;
};

const ssn: PersonalKind = {
  formats: [
    issued,
    (random) => `SSN:⟦${issued(random)}⟧`,
    (random) => `"⟦${issued(random)}⟧"`,
    (random) => `(⟦${issued(random)}⟧)`,
    (random) => `⟦${issued(random)}⟧,`,
    (random) => `ssn=⟦${issued(random)}⟧;`,
    (random) => `#⟦${issued(random)}⟧`,
    (random) => `⟦${issued(random)}⟧\n`,
  ],
  lookalikes: [
    (random) => `000-${random.digits(2)}-${random.digits(4)}`,
    (random) => `666-${random.whole(10, 99)}-${random.digits(4)}`,
    (random) => `9${random.digits(2)}-${random.whole(10, 99)}-${random.digits(4)}`,
    (random) => `${random.digits(3)}-00-${random.digits(4)}`,
    (random) => `${random.digits(3)}-${random.whole(10, 99)}-0000`,
    (random) => `${random.digits(4)}-${random.whole(10, 99)}-${random.digits(4)}`,
    (random) => `${random.digits(3)}-${random.whole(10, 99)}-${random.digits(5)}`,
    (random) => `${random.digits(2)}-${random.digits(3)}-${random.digits(4)}`,
  ],
};

/** Digits with a valid check digit behind them (ISO/IEC 7812). */
function withCheckDigit(digits: string): string {
  let sum = 0;
  for (let at = 0; at < digits.length; at += 1) {
    const value = Number(digits.charAt(digits.length - 1 - at)) * (at % 2 === 0 ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  }
  return `${digits}${(10 - (sum % 10)) % 10}`;
}
const cardOf = (prefix: string, length: number, random: SeededRandom) =>
  withCheckDigit(prefix + random.digits(length - prefix.length - 1));
const grouped = (digits: string, sizes: readonly number[], separator: string): string => {
  let at = 0;
  return sizes
    .map((size) => {
      at += size;
      return digits.slice(at - size, at);
    })
    .join(separator);
};
const fours = [4, 4, 4, 4];

const creditCard: PersonalKind = {
  formats: [
    (random) => cardOf('4', 16, random),
    (random) => grouped(cardOf('4', 16, random), fours, ' '),
    (random) => grouped(cardOf(`5${random.whole(1, 5)}`, 16, random), fours, '-'),
    (random) => cardOf(random.pick(['34', '37']), 15, random),
    (random) => grouped(cardOf('37', 15, random), [4, 6, 5], ' '),
    (random) => grouped(cardOf('6011', 16, random), fours, ' '),
    (random) => cardOf('36', 14, random),
    (random) => grouped(cardOf('35', 16, random), fours, '-'),
  ],
  lookalikes: [
    (random) => {
      const card = cardOf('4', 16, random);
      return card.slice(0, -1) + String((Number(card.at(-1)) + 1) % 10);
    },
    (random) =>
      `${random.letters(8, '0123456789abcdef')}-${random.letters(4, 'abcdef')}-4${random.letters(3, 'abcdef')}-a${random.letters(3, 'abcdef')}-${random.letters(12, 'abcdef0123456789')}`,
    (random) => `tracking 1Z${random.digits(6)}${random.digits(8)}`.replace(/\d(?=\d{9}$)/, 'X'),
    (random) => `${random.digits(12, false)}`,
    (random) => `20260${random.whole(1, 9)}${random.whole(10, 28)}T${random.whole(10, 23)}0000Z`,
    (random) => `+${random.whole(1, 9)}${random.digits(10)}`,
  ],
};

const octet = (random: SeededRandom) => random.whole(0, 255);
const hextet = (random: SeededRandom) => random.whole(1, 65_535).toString(16);
const four: Format = (random) => [octet, octet, octet, octet].map((one) => one(random)).join('.');

const ipAddress: PersonalKind = {
  formats: [
    four,
    (random) => `10.${octet(random)}.${octet(random)}.${octet(random)}`,
    (random) => `⟦${four(random)}⟧:${random.whole(1024, 65_535)}`,
    (random) => `[⟦${four(random)}⟧]`,
    (random) => Array.from({ length: 8 }, () => hextet(random)).join(':'),
    (random) => `2001:db8::${hextet(random)}`,
    (random) => `fe80::${hextet(random)}:${hextet(random)}`,
    (random) => `::ffff:${four(random)}`,
  ],
  lookalikes: [
    (random) => `${random.whole(256, 999)}.${octet(random)}.${octet(random)}.${octet(random)}`,
    (random) => `v${random.whole(1, 9)}.${random.whole(0, 30)}.${random.whole(0, 30)}`,
    (random) =>
      `${random.whole(1, 9)}.${random.whole(0, 30)}.${random.whole(0, 30)}.${random.whole(0, 30)}.${random.whole(0, 9)}`,
    (random) => `at ${random.whole(10, 23)}:${random.whole(10, 59)}:${random.whole(10, 59)}`,
    (random) => Array.from({ length: 6 }, () => random.letters(2, '0123456789abcdef')).join(':'),
    (random) => `std::${random.pick(words)}::${random.pick(words)}`,
    (random) => `ratio ${random.whole(1, 9)}:${random.whole(1, 9)}`,
  ],
};

/** Every kind that a built-in detector finds without an analyzer, by the detector's slug. */
export const personalKinds = {
  email,
  phone,
  ssn,
  'credit-card': creditCard,
  'ip-address': ipAddress,
} as const;
