/** A quarter of an hour in milliseconds. */
export const quarterLength = 900_000;

/** Quarters of an hour in a UTC day. */
export const quartersInDay = 96;

/** SQL that finds a row while what keys spend is summed by quarter of an hour too (`key_spend_quarters`). */
export const keepsQuarters = "select 1 from limit_calendar where time_zone <> 'UTC' limit 1";
