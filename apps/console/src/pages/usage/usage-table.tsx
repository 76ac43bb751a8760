import type { ReactNode } from 'react';
import { Link } from '@tanstack/react-router';
import { formatCost, formatCount, formatUtcDay } from '../../ui/format.ts';
import { Table } from '../../ui/table.tsx';
import type { TableColumn } from '../../ui/table.tsx';
import type { UsageRow } from './usage-query.ts';
import { GROUPINGS } from './usage-search.ts';
import type { Grouping } from './usage-search.ts';

/** Most rows that are shown; a file has all. */
const ROWS_MAX = 300;

type Row = UsageRow & { id: string };
type NameOf = (row: UsageRow) => string;

type UsageTableProps = { by: Grouping; rows: readonly UsageRow[]; nameOf: NameOf };

/** The sums of each group: days newest first, other groups by their tokens. */
export const UsageTable = ({ by, rows, nameOf }: UsageTableProps) => {
  const sorted = rows.toSorted((a, b) =>
    by === 'day' ? b.day!.localeCompare(a.day!) : b.totalTokens - a.totalTokens,
  );
  const items = sorted.slice(0, ROWS_MAX).map((row) => ({ ...row, id: idOf(row, by) }));
  return (
    <>
      <Table label={`Usage by ${by}`} columns={columnsOf(by, nameOf)} items={items} />
      {sorted.length > ROWS_MAX && (
        <p className="muted">
          The first {formatCount(ROWS_MAX)} of {formatCount(sorted.length)} rows. The CSV has all.
        </p>
      )}
    </>
  );
};

const idOf = ({ day, keyId, agent, model, provider }: UsageRow, by: Grouping): string =>
  `${by}:${{ day, key: keyId, agent, model, provider }[by] ?? ''}`;

const columnsOf = (by: Grouping, nameOf: NameOf): TableColumn<Row>[] => [
  {
    id: 'group',
    title: GROUPINGS.find(({ value }) => value === by)!.label,
    isRowHeader: true,
    cell: (row) => nameCell(row, by, nameOf),
  },
  { id: 'calls', title: 'Calls', isNumber: true, cell: ({ calls }) => formatCount(calls) },
  {
    id: 'prompt',
    title: 'Prompt tokens',
    isNumber: true,
    cell: ({ promptTokens }) => formatCount(promptTokens),
  },
  {
    id: 'completion',
    title: 'Completion tokens',
    isNumber: true,
    cell: ({ completionTokens }) => formatCount(completionTokens),
  },
  {
    id: 'total',
    title: 'Tokens',
    isNumber: true,
    cell: ({ totalTokens }) => <strong>{formatCount(totalTokens)}</strong>,
  },
  { id: 'cost', title: 'Cost', isNumber: true, cell: costCell },
];

/** The name of a group, with a link to its calls where the list of calls has such a filter. */
const nameCell = (row: UsageRow, by: Grouping, nameOf: NameOf): ReactNode => {
  if (by === 'day') return formatUtcDay(row.day!);
  const search = callFilterOf(row, by);
  const name = nameOf(row);
  if (!search) return name;
  return (
    <Link to="/calls" search={search}>
      {name}
    </Link>
  );
};

const callFilterOf = (
  { keyId, agent, model, provider }: UsageRow,
  by: Exclude<Grouping, 'day'>,
): object | undefined => {
  if (by === 'key') return keyId ? { keyId } : undefined;
  if (by === 'agent') return agent ? { agent } : undefined;
  return by === 'model' ? { egressModel: model } : { provider };
};

const costCell = ({ cost, calls, unpricedCalls }: UsageRow): ReactNode => (
  <>
    {cost === null ? <span className="muted">no price</span> : formatCost(cost)}
    {cost !== null && unpricedCalls > 0 && (
      <>
        <br />
        <span className="muted">
          {formatCount(unpricedCalls)} of {formatCount(calls)} calls unpriced
        </span>
      </>
    )}
  </>
);
