import type { ReactNode } from 'react';
import {
  Cell as AriaCell,
  Column as AriaColumn,
  Row as AriaRow,
  Table as AriaTable,
  TableBody,
  TableHeader,
} from 'react-aria-components/Table';
import css from './table.module.css';

export type TableColumn<Item> = {
  id: string;
  title: string;
  /** Unit of the values, below the title. */
  unit?: string;
  /** True for the column that names the row. */
  isRowHeader?: boolean;
  isNumber?: boolean;
  cell: (item: Item) => ReactNode;
};

type TableProps<Item> = {
  label: string;
  columns: readonly TableColumn<Item>[];
  items: readonly Item[];
  onOpen?: (item: Item) => void;
};

/**
 * A table of up to some hundred rows, which arrow keys move in. Use RowList for longer ones, which
 * has elements for the visible rows only. On narrow screens each row is a card.
 */
export const Table = <Item extends { id: string }>(props: TableProps<Item>) => {
  const { label, columns, items, onOpen } = props;
  return (
    <div className={css.scroll}>
      <AriaTable aria-label={label} className={css.table}>
        <TableHeader>
          {columns.map(({ id, title, unit, isRowHeader = false, isNumber = false }) => (
            <AriaColumn
              key={id}
              id={id}
              isRowHeader={isRowHeader}
              className={`${css.column} ${isNumber ? css.end : ''}`}
            >
              {title}
              {unit !== undefined && <span className={css.unit}>{unit}</span>}
            </AriaColumn>
          ))}
        </TableHeader>
        <TableBody>
          {items.map((item) => (
            <AriaRow
              key={item.id}
              id={item.id}
              className={css.row}
              {...(onOpen ? { onAction: () => onOpen(item), 'data-actionable': true } : {})}
            >
              {columns.map(({ id, title, unit, cell, isRowHeader = false, isNumber = false }) => (
                <AriaCell
                  key={id}
                  className={`${css.cell} ${isNumber ? css.end : ''}`}
                  data-title={unit === undefined ? title : `${title}, ${unit}`}
                  data-heads={isRowHeader ? '' : undefined}
                >
                  <div>{cell(item)}</div>
                </AriaCell>
              ))}
            </AriaRow>
          ))}
        </TableBody>
      </AriaTable>
    </div>
  );
};
