import assert from 'node:assert/strict';
import { test } from 'node:test';
import { growAddress } from './entity-scanner.ts';

function grown(text: string, place: string): string {
  const start = text.indexOf(place);
  const span = growAddress(text, { start, end: start + place.length });
  return text.slice(span.start, span.end);
}

test('a place grows over the street line before it and the postal code behind it', () => {
  assert.equal(
    grown('Send it to 12 Main Street, Springfield, IL 62704 today', 'Springfield'),
    '12 Main Street, Springfield, IL 62704',
  );
  assert.equal(grown('at 7 Old Mill Rd. Apt 4, Dover', 'Dover'), '7 Old Mill Rd. Apt 4, Dover');
  assert.equal(grown('Hauptstraße 5, 10115 Berlin', 'Berlin'), 'Hauptstraße 5, 10115 Berlin');
  assert.equal(grown('I like Paris in 12345678 ways', 'Paris'), 'Paris');
  assert.equal(grown('12 Main Street\nSpringfield', 'Springfield'), 'Springfield');
});
