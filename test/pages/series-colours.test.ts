import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';

type Triple = readonly [number, number, number];

const tokens = readFileSync(new URL('../../dashboard/style/tokens.css', import.meta.url), 'utf8');

/** Both values of a token: on light, on dark. */
function valuesOf(name: string): readonly [string, string] {
  const [, light, dark] =
    tokens.match(new RegExp(`--${name}: light-dark\\((#[0-9a-f]{6}), (#[0-9a-f]{6})\\)`)) ?? [];
  assert.ok(light !== undefined && dark !== undefined, `--${name} has two colours`);
  return [light, dark];
}

/** Light of red, green and blue, 0 to 1, without the curve that screens use. */
function linear(hex: string): Triple {
  const part = (at: number) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [part(1), part(3), part(5)];
}

function multiply(rows: readonly Triple[], [r, g, b]: Triple): Triple {
  const [x = 0, y = 0, z = 0] = rows.map(([p, q, s]) => p * r + q * g + s * b);
  return [x, y, z];
}

/** How people without one kind of cones see light (Machado, Oliveira and Fernandes, 2009, at full strength). */
const sights: Readonly<Record<string, readonly Triple[]>> = {
  usual: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  'without red': [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  'without green': [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  'without blue': [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

const toXyz: readonly Triple[] = [
  [0.4124564, 0.3575761, 0.1804375],
  [0.2126729, 0.7151522, 0.072175],
  [0.0193339, 0.119192, 0.9503041],
];

/** CIE L*a*b* under daylight. */
function lab(light: Triple): Triple {
  const clipped = light.map((value) => Math.min(1, Math.max(0, value)));
  const [x, y, z] = multiply(toXyz, [clipped[0] ?? 0, clipped[1] ?? 0, clipped[2] ?? 0]);
  const curve = (value: number) => (value > 0.008856 ? Math.cbrt(value) : 7.787 * value + 16 / 116);
  const [a, b, c] = [curve(x / 0.95047), curve(y), curve(z / 1.08883)];
  return [116 * b - 16, 500 * (a - b), 200 * (b - c)];
}

function distance(one: Triple, other: Triple): number {
  return Math.hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2]);
}

function contrast(one: string, other: string): number {
  const luminance = (hex: string) => multiply(toXyz, linear(hex))[1];
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

const names = ['1', '2', '3', '4', '5', '6', 'other'].map((name) => `series-${name}`);

for (const [at, theme] of ['light', 'dark'].entries()) {
  describe(`colours of groups: ${theme}`, () => {
    test('each stands out from the surface', () => {
      const surface = valuesOf('surface')[at] ?? '';
      const faint = names.filter((name) => contrast(valuesOf(name)[at] ?? '', surface) < 3);
      assert.deepEqual(faint, []);
    });

    test('those of heat maps stand out too, and from each other, by light alone', () => {
      const steps = ['surface', ...[1, 2, 3, 4, 5].map((level) => `heat-${level}`)].map(
        (name) => valuesOf(name)[at] ?? '',
      );
      const rises = steps.slice(1).map((one, index) => contrast(one, steps[index] ?? ''));
      assert.ok((rises[0] ?? 0) >= 3, 'the weakest against the surface');
      assert.ok(
        rises.slice(1).every((rise) => rise >= 1.35),
        String(rises),
      );
    });

    for (const [sight, matrix] of Object.entries(sights)) {
      test(`no two are alike to sight ${sight}`, () => {
        const seen = names.map((name) => lab(multiply(matrix, linear(valuesOf(name)[at] ?? ''))));
        const alike = seen.flatMap((one, first) =>
          seen
            .map((other, second) => [names[first], names[second], distance(one, other)] as const)
            .slice(first + 1)
            .filter(([, , far]) => far < 20),
        );
        assert.deepEqual(alike, []);
      });
    }
  });
}
