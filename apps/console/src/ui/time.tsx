import { formatAge, formatDateTime, formatDay, formatRowTime } from './format.ts';

/** An instant in the reader's zone; the exact text of the API is in its tooltip. */
export const Time = ({ at }: { at: string }) => (
  <time dateTime={at} title={at}>
    {formatDateTime(at)}
  </time>
);

/** The day of an instant in the reader's zone; the instant itself is in its tooltip. */
export const Day = ({ at }: { at: string }) => (
  <time dateTime={at} title={formatDateTime(at)}>
    {formatDay(at)}
  </time>
);

/** An instant in a row of a table; where it does not fit, the time is below the day. */
export const RowTime = ({ at }: { at: string }) => {
  const { day, time } = formatRowTime(at);
  return (
    <time dateTime={at} title={formatDateTime(at)} className="row-time">
      <span>{day}</span> <span>{time}</span>
    </time>
  );
};

/** How long ago an instant was; the instant itself is in its tooltip. */
export const Age = ({ at }: { at: string }) => (
  <time dateTime={at} title={formatDateTime(at)}>
    {formatAge(at, new Date())}
  </time>
);
