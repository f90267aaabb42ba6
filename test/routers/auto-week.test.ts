import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { playWeek, type WeekModel, type WeekRequest, weekEvents } from './auto-week.ts';

let week: readonly WeekRequest[];

before(async () => {
  week = await playWeek(1);
});

/** The share of the free requests from one hour on until another that a model answered. */
function shareOf(name: WeekModel, from: number, until: number): number {
  const seen = week.filter(({ hour, isRestricted }) => hour >= from && hour < until && !isRestricted);
  return seen.filter(({ answered }) => answered === name).length / seen.length;
}

test('every request of the week is answered, whatever is down', () => {
  assert.equal(week.length, 7 * 24 * 30);
  const { outage, back } = weekEvents;
  assert.equal(shareOf('middle', outage.hour, back.hour), 0);
  assert.ok(shareOf('middle', back.hour, back.hour + 12) > 0.9, 'traffic returns');
});

test('requests keep to two thirds of the costs, whatever others spend on more expensive models', () => {
  assert.equal(shareOf('huge', 0, 168), 0);
  assert.ok(shareOf('large', 0, weekEvents.cheaper.hour) === 0, 'large costs too much at first');
});

test('a price that falls counts once the mean of seven days has come down; a new model without spend gets nothing', () => {
  assert.equal(shareOf('large', weekEvents.cheaper.hour, weekEvents.cheaper.hour + 12), 0);
  assert.ok(shareOf('large', 144, 168) > 0);
  assert.equal(shareOf('fresh', 0, 168), 0);
});

test('the same seed plays the same week', async () => {
  assert.deepEqual((await playWeek(1)).slice(0, 200), week.slice(0, 200));
});
