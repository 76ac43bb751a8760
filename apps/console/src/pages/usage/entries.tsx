import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { formatCount } from '../../ui/format.ts';
import { Badge, EmptyState } from '../../ui/page-state.tsx';
import type { Tone } from '../../ui/page-state.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { PagedRows } from '../../ui/paged-rows.tsx';
import type { RowColumn } from '../../ui/row-list.tsx';
import { entriesQuery } from './usage-query.ts';
import type { Entry } from './usage-query.ts';
import { RowTime } from '../../ui/time.tsx';

/** Every entry of the token account, newest first. */
export const Entries = () => {
  const entries = useInfiniteQuery(entriesQuery);
  return (
    <Page
      title="Entries of the token account"
      intro={
        <>
          No entry is ever changed or removed. <Link to="/usage">Back to usage</Link>
        </>
      }
    >
      <Section isFlush>
        <PagedRows
          label="Entries"
          query={entries}
          itemsOf={(page) => page.entries}
          columns={COLUMNS}
          keyOf={({ id }) => id}
          empty={<NoEntries />}
        />
      </Section>
    </Page>
  );
};

const NoEntries = () => (
  <EmptyState icon="usage" title="No entries yet">
    <p>Each call of a model adds one with its tokens; a credit of the operator adds one, too.</p>
  </EmptyState>
);

const KINDS: Readonly<Record<Entry['kind'], { label: string; tone: Tone; sign: '+' | '−' }>> = {
  credit: { label: 'Credit', tone: 'good', sign: '+' },
  refund: { label: 'Refund', tone: 'good', sign: '+' },
  usage: { label: 'Usage', tone: 'neutral', sign: '−' },
  overrun: { label: 'Overrun', tone: 'warn', sign: '−' },
};

const COLUMNS: readonly RowColumn<Entry>[] = [
  {
    id: 'time',
    title: 'Time',
    width: 'minmax(8rem, 10.5rem)',
    cell: ({ createdAt, certificateId }) =>
      certificateId === null ? (
        <RowTime at={createdAt} />
      ) : (
        <Link to="/calls/$proofId" params={{ proofId: certificateId }} preload={false}>
          <RowTime at={createdAt} />
        </Link>
      ),
  },
  {
    id: 'kind',
    title: 'Kind',
    width: '4.75rem',
    cell: ({ kind }) => <Badge tone={KINDS[kind].tone}>{KINDS[kind].label}</Badge>,
  },
  {
    id: 'tokens',
    title: 'Tokens',
    width: 'minmax(4.5rem, 8rem)',
    isNumber: true,
    cell: ({ kind, amount }) => `${KINDS[kind].sign}${formatCount(amount)}`,
  },
  {
    id: 'call',
    title: 'Certificate of the call',
    width: 'minmax(4rem, 1fr)',
    isSecondary: true,
    cell: ({ certificateId }) => <span className="mono">{certificateId}</span>,
  },
];
