import { useEffect, useState } from 'react';
import { useNavigate } from '@tanstack/react-router';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/select.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { FINISH, FINISHES, readCallFilters } from './call-filters.ts';
import type { CallFilters } from './calls-query.ts';
import css from './calls.module.css';
import { PERIODS } from './period.ts';

const ANY = '';

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
  const apply = (change: Readonly<Record<string, string>>): void => {
    const search = readCallFilters({ ...filters, ...change });
    void navigate({ to: '/calls', search, replace: true });
  };
  return (
    <form
      role="search"
      aria-label="Filters"
      className={css.filters}
      onSubmit={(event) => event.preventDefault()}
    >
      <Select
        label="Period"
        options={[{ value: ANY, label: 'Any time' }, ...PERIODS]}
        value={filters.period ?? ANY}
        onChange={(period) => apply({ period })}
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
        <TextFilterField
          key={name}
          label={label}
          value={filters[name] ?? ''}
          onApply={(value) => apply({ [name satisfies TextFilter]: value })}
        />
      ))}
      {Object.keys(filters).length > 0 && (
        <Button
          kind="quiet"
          icon="close"
          onPress={() => void navigate({ to: '/calls', search: {}, replace: true })}
        >
          Remove filters
        </Button>
      )}
    </form>
  );
};

type TextFilterFieldProps = { label: string; value: string; onApply: (value: string) => void };

/** Applies its text on Enter and when it loses the focus, not with every character. */
const TextFilterField = ({ label, value, onApply }: TextFilterFieldProps) => {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const applyChange = (): void => {
    if (text.trim() !== value) onApply(text.trim());
  };
  return (
    <TextField
      label={label}
      value={text}
      onChange={setText}
      onBlur={applyChange}
      onKeyDown={({ key }) => {
        if (key === 'Enter') applyChange();
      }}
      placeholder="Any"
    />
  );
};
