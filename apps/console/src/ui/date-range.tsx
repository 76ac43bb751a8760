import { useEffect, useRef, useState } from 'react';
import { parseDate } from '@internationalized/date';
import {
  Button,
  CalendarCell,
  CalendarGrid,
  DateInput,
  DateRangePicker,
  DateSegment,
  Group,
  Label,
  RangeCalendar,
} from 'react-aria-components/DateRangePicker';
import { Dialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Popover } from 'react-aria-components/Popover';
import css from './date-range.module.css';
import { isDay } from './day.ts';
import type { DayRange } from './day.ts';
import field from './field.module.css';
import { Icon } from './icon.tsx';

/** Earliest day that can be chosen: an earlier one is a year that is not typed to its end. */
const FIRST_DAY = parseDate('2000-01-01');

type DateRangeProps = {
  label: string;
  value: DayRange | undefined;
  /** Called when the choice is complete: the calendar closes, Enter, or the field loses focus. */
  onChange: (range: DayRange | undefined) => void;
};

/** Two dates that are typed or chosen in a calendar. */
export const DateRange = ({ label, value, onChange }: DateRangeProps) => {
  const draft = useRef(value);
  const [shown, setShown] = useState(value);
  const { from, to } = value ?? {};
  useEffect(() => {
    draft.current = value;
    setShown(value);
  }, [from, to]);
  const apply = (): void => {
    const range = draft.current;
    if (range?.from === from && range?.to === to) return;
    if (range === undefined || (isDay(range.from) && range.from <= range.to)) onChange(range);
  };
  return (
    <DateRangePicker
      className={`${field.field} ${css.field}`}
      value={shown ? { start: parseDate(shown.from), end: parseDate(shown.to) } : null}
      minValue={FIRST_DAY}
      onChange={(range) => {
        draft.current = range
          ? { from: range.start.toString(), to: range.end.toString() }
          : undefined;
        setShown(draft.current);
      }}
      onBlur={apply}
      onOpenChange={(isOpen) => {
        if (!isOpen) apply();
      }}
      onKeyDown={({ key }) => {
        if (key === 'Enter') apply();
      }}
    >
      <Label className={field.label}>{label}</Label>
      <Group className={`${field.input} ${css.range}`}>
        <DateInput slot="start" className={css.date}>
          {(segment) => <DateSegment segment={segment} className={css.segment} />}
        </DateInput>
        <span aria-hidden="true">–</span>
        <DateInput slot="end" className={css.date}>
          {(segment) => <DateSegment segment={segment} className={css.segment} />}
        </DateInput>
        <Button className={css.open}>
          <Icon name="calendar" size={16} />
        </Button>
      </Group>
      <Popover className={`${field.popover} ${css.popover}`}>
        <Dialog className={css.dialog}>
          <Calendar />
        </Dialog>
      </Popover>
    </DateRangePicker>
  );
};

const Calendar = () => (
  <RangeCalendar className={css.calendar}>
    <header className={css.head}>
      <Button slot="previous" className={`${css.open} ${css.back}`}>
        <Icon name="chevron" size={16} />
      </Button>
      <Heading className={css.month} />
      <Button slot="next" className={css.open}>
        <Icon name="chevron" size={16} />
      </Button>
    </header>
    <CalendarGrid className={css.grid}>
      {(date) => <CalendarCell date={date} className={css.day} />}
    </CalendarGrid>
  </RangeCalendar>
);
