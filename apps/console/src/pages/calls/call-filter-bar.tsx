import { useNavigate } from '@tanstack/react-router';
import { Button } from '../../ui/button.tsx';
import { DateRange } from '../../ui/date-range.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Select } from '../../ui/select.tsx';
import { FINISH, FINISHES, readCallFilters } from './call-filters.ts';
import type { CallFilters } from './calls-query.ts';
import css from './calls.module.css';
import { PERIODS } from './period.ts';

const ANY = '';
const CHOSEN = 'chosen';

const TEXT_FILTERS = [
  { name: 'agent', label: 'Agent' },
  { name: 'provider', label: 'Provider' },
  { name: 'egressModel', label: 'Model that ran' },
  { name: 'keyId', label: 'Key id' },
] as const;

type TextFilter = (typeof TEXT_FILTERS)[number]['name'];

/** Changes the filters in the address, so that a link reproduces the list. */
export const CallFilterBar = ({ filters }: { filters: CallFilters }) => {
  const navigate = useNavigate();
  const { from, to } = filters;
  const show = (search: CallFilters): void =>
    void navigate({ to: '/calls', search, replace: true });
  const apply = (change: Readonly<Record<string, string>>): void =>
    show(readCallFilters({ ...filters, ...change }));
  const { from: _from, to: _to, period: _period, ...others } = filters;
  return (
    <form
      role="search"
      aria-label="Filters"
      className={css.filters}
      onSubmit={(event) => event.preventDefault()}
    >
      <Select
        label="Period"
        options={[
          { value: ANY, label: 'Any time' },
          ...PERIODS,
          ...(from ? [{ value: CHOSEN, label: 'Chosen days' } as const] : []),
        ]}
        value={from ? CHOSEN : (filters.period ?? ANY)}
        onChange={(period) => {
          if (period !== CHOSEN) show(readCallFilters({ ...others, period }));
        }}
      />
      <DateRange
        label="Days"
        value={from && to ? { from, to } : undefined}
        onChange={(days) => show({ ...others, ...days })}
      />
      <Select
        label="Result"
        options={[
          { value: ANY, label: 'Any result' },
          ...FINISHES.map((value) => ({ value, label: FINISH[value].label })),
        ]}
        value={filters.finishReason ?? ANY}
        onChange={(finishReason) => apply({ finishReason })}
      />
      {TEXT_FILTERS.map(({ name, label }) => (
        <SearchField
          key={name}
          label={label}
          value={filters[name] ?? ''}
          onApply={(value) => apply({ [name satisfies TextFilter]: value })}
        />
      ))}
      {Object.keys(filters).length > 0 && (
        <Button kind="quiet" icon="close" onPress={() => show({})}>
          Remove filters
        </Button>
      )}
    </form>
  );
};
