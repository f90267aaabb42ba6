export {
  type CurrentWindows,
  type DayRange,
  dayLength,
  dayName,
  utcDay,
  windowsAt,
} from '../../core/utc-windows.ts';
