import type { ReactNode } from 'react';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { saveFile } from '../../../api/save-file.ts';
import { useKeyNames } from '../../../app/key-names.ts';
import { Button } from '../../../ui/button.tsx';
import { DateRange } from '../../../ui/date-range.tsx';
import type { DayRange } from '../../../ui/day.ts';
import { EmptyState } from '../../../ui/page-state.tsx';
import { PagedRows } from '../../../ui/paged-rows.tsx';
import { Section } from '../../../ui/page.tsx';
import type { RowColumn } from '../../../ui/row-list.tsx';
import { SearchField } from '../../../ui/search-field.tsx';
import { Select } from '../../../ui/select.tsx';
import { notifyError } from '../../../ui/toast.tsx';
import css from '../settings.module.css';
import { ACTIONS, describeAction } from './audit-filters.ts';
import { auditQuery, readAuditFile } from './audit-query.ts';
import type { AuditEvent, AuditFilters, ExportFormat } from './audit-query.ts';
import { RowTime } from '../../../ui/time.tsx';

const routeApi = getRouteApi('/shell/settings/audit');

/** Who changed what, newest first, by the filters in the address. */
export const AuditLog = () => {
  const filters = routeApi.useSearch();
  const events = useInfiniteQuery(auditQuery(filters));
  const findKeyName = useKeyNames();
  return (
    <div className={css.sectionList}>
      <Section
        title="Audit log"
        intro={
          'Who did what to keys, sessions, providers, webhooks and tools. Events are never ' +
          'changed.'
        }
        actions={<ExportButtons filters={filters} />}
      >
        <AuditFilterBar filters={filters} />
      </Section>
      <Section isFlush>
        <PagedRows
          label="Audit log"
          query={events}
          itemsOf={(page) => page.events}
          columns={columnsOf(findKeyName)}
          keyOf={({ id }) => id}
          empty={Object.keys(filters).length > 0 ? <NoMatch /> : <NoEvents />}
        />
      </Section>
    </div>
  );
};

const FORMATS: readonly { format: ExportFormat; label: string }[] = [
  { format: 'csv', label: 'CSV' },
  { format: 'ndjson', label: 'NDJSON' },
];

/** Each saves all events that match the filters, not the loaded ones only. */
const ExportButtons = ({ filters }: { filters: AuditFilters }) => {
  const saving = useMutation({
    mutationFn: (format: ExportFormat) => readAuditFile(filters, format),
    onSuccess: (file, format) => saveFile(`audit-log.${format}`, file),
    onError: notifyError,
  });
  return FORMATS.map(({ format, label }) => (
    <Button
      key={format}
      icon="download"
      isPending={saving.isPending && saving.variables === format}
      onPress={() => saving.mutate(format)}
    >
      {label}
    </Button>
  ));
};

const ANY = '';

const AuditFilterBar = ({ filters }: { filters: AuditFilters }) => {
  const navigate = useNavigate();
  const { from, to, ...texts } = filters;
  const show = (search: AuditFilters): void =>
    void navigate({ to: '/settings/audit', search, replace: true });
  const days: DayRange | undefined = from && to ? { from, to } : undefined;
  const apply = (name: keyof typeof texts, value: string): void => {
    const { [name]: _replaced, ...others } = filters;
    show(value === ANY ? others : { ...others, [name]: value });
  };
  const isListed = ACTIONS.some(({ value }) => value === filters.action);
  return (
    <div role="search" aria-label="Filters" className={css.filters}>
      <Select
        label="Action"
        options={[
          { value: ANY, label: 'Any action' },
          ...(filters.action && !isListed
            ? [{ value: filters.action, label: filters.action }]
            : []),
          ...ACTIONS,
        ]}
        value={filters.action ?? ANY}
        onChange={(action) => apply('action', action)}
      />
      <SearchField
        label="Actor"
        value={filters.actor ?? ''}
        onApply={(actor) => apply('actor', actor)}
      />
      <SearchField
        label="Target"
        value={filters.target ?? ''}
        onApply={(target) => apply('target', target)}
      />
      <DateRange label="Days" value={days} onChange={(range) => show({ ...texts, ...range })} />
      {Object.keys(filters).length > 0 && (
        <Button kind="quiet" icon="close" onPress={() => show({})}>
          Remove filters
        </Button>
      )}
    </div>
  );
};

const columnsOf = (
  findKeyName: (id: string) => string | undefined,
): readonly RowColumn<AuditEvent>[] => [
  {
    id: 'action',
    title: 'Action',
    width: 'minmax(9rem, 1fr)',
    cell: ({ action, createdAt }) => (
      <TwoLines first={describeAction(action)} second={<RowTime at={createdAt} />} />
    ),
  },
  {
    id: 'actor',
    title: 'By',
    width: 'minmax(6rem, 1fr)',
    cell: ({ actor }) => (
      <TwoLines
        first={
          <Link to="/settings/audit" search={{ actor }} preload={false}>
            {findKeyName(actor) ?? actor}
          </Link>
        }
        second={findKeyName(actor) === undefined ? '' : actor}
      />
    ),
  },
  {
    id: 'target',
    title: 'Target',
    width: 'minmax(6rem, 1fr)',
    isSecondary: true,
    cell: ({ target }) => (
      <TwoLines
        first={
          <Link to="/settings/audit" search={{ target }} preload={false}>
            {findKeyName(target) ?? target}
          </Link>
        }
        second={findKeyName(target) === undefined ? '' : target}
      />
    ),
  },
  {
    id: 'detail',
    title: 'Detail',
    width: 'minmax(5rem, 1fr)',
    isSecondary: true,
    cell: ({ detail }) => detail,
  },
];

const TwoLines = ({ first, second }: { first: ReactNode; second: ReactNode }) => (
  <span className={css.lines}>
    <span className={css.line}>{first}</span>
    {second !== '' && <span className={`${css.line} ${css.note}`}>{second}</span>}
  </span>
);

const NoEvents = () => (
  <EmptyState icon="shield" title="No events yet">
    <p>A change of a key, a session, a provider, a webhook or a tool appears here.</p>
  </EmptyState>
);

const NoMatch = () => (
  <EmptyState
    icon="filter"
    title="No event matches these filters"
    action={
      <Link to="/settings/audit" search={{}}>
        Remove all filters
      </Link>
    }
  >
    <p>Filters match exactly. Remove one, or choose more days.</p>
  </EmptyState>
);
