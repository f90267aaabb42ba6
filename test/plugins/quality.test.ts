import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureDetectors } from '../../scripts/quality/measure-detectors.ts';
import { measureHealing } from '../../scripts/quality/measure-healing.ts';

test('detectors of personal data reach their goals on generated texts', () => {
  for (const { slug, precision, recall, mistakes } of measureDetectors(800, 7)) {
    const [leastPrecision, leastRecall] = slug === 'phone' ? [0.95, 0.9] : [0.98, 0.95];
    assert.ok(precision >= leastPrecision, `${slug}: precision ${precision}: ${mistakes.join('\n')}`);
    assert.ok(recall >= leastRecall, `${slug}: recall ${recall}: ${mistakes.join('\n')}`);
  }
});

test('healing restores nine of ten damaged documents, more than the library alone, and makes none worse', () => {
  const faults = measureHealing(320, 7);
  const total = (count: 'documents' | 'healed' | 'libraryAlone' | 'worse') =>
    faults.reduce((sum, fault) => sum + fault[count], 0);
  assert.equal(total('documents'), 320);
  assert.ok(total('healed') >= 0.9 * 320, `${total('healed')} of 320`);
  assert.ok(total('healed') > total('libraryAlone'));
  assert.equal(total('worse'), 0);
});
