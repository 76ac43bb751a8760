import { useNavigate } from '@tanstack/react-router';
import { DateRange } from '../../ui/date-range.tsx';
import type { DayRange } from '../../ui/day.ts';
import { Select } from '../../ui/select.tsx';
import { GROUPINGS, MEASURES, PERIODS } from './usage-search.ts';
import type { UsageSearch } from './usage-search.ts';
import css from './usage.module.css';

const CHOSEN = 'chosen';

type UsageFilterBarProps = { search: UsageSearch; range: DayRange };

/** Changes the choices in the address, so that a link reproduces the page. */
export const UsageFilterBar = ({ search, range }: UsageFilterBarProps) => {
  const navigate = useNavigate();
  const apply = (change: UsageSearch): void =>
    void navigate({ to: '/usage', search: { ...search, ...change }, replace: true });
  const { from: _from, to: _to, period: _period, ...choices } = search;
  const applyRange = (next: Pick<UsageSearch, 'period' | 'from' | 'to'>): void =>
    void navigate({ to: '/usage', search: { ...choices, ...next }, replace: true });
  const isChosen = search.from !== undefined;
  return (
    <div role="search" aria-label="Filters" className={css.filters}>
      <Select
        label="Group by"
        options={GROUPINGS}
        value={search.by ?? 'model'}
        onChange={(by) => apply({ by })}
      />
      <Select
        label="Chart of"
        options={MEASURES}
        value={search.measure ?? 'tokens'}
        onChange={(measure) => apply({ measure })}
      />
      <Select
        label="Period"
        options={[
          ...PERIODS,
          ...(isChosen ? [{ value: CHOSEN, label: 'Chosen days' } as const] : []),
        ]}
        value={isChosen ? CHOSEN : (search.period ?? '30d')}
        onChange={(period) => {
          if (period !== CHOSEN) applyRange({ period });
        }}
      />
      <DateRange
        label="Days, in UTC"
        value={range}
        onChange={(chosen) => applyRange(chosen ?? { period: '30d' })}
      />
    </div>
  );
};
