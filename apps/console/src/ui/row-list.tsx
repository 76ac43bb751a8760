import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { CSSProperties, ReactNode } from 'react';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import css from './row-list.module.css';

export type RowColumn<Item> = {
  id: string;
  title: string;
  /** A track of `grid-template-columns`, such as `8rem` or `minmax(6rem, 2fr)`. */
  width: string;
  isNumber?: boolean;
  /** True if narrow screens do without the column. */
  isSecondary?: boolean;
  cell: (item: Item) => ReactNode;
};

type RowListProps<Item> = {
  label: string;
  columns: readonly RowColumn<Item>[];
  items: readonly Item[];
  keyOf: (item: Item) => string;
  /** Called when the last rows come into view and `hasMore`. */
  onEnd: () => void;
  hasMore: boolean;
};

/** Height of a row in pixels; all rows have the same, so that the scroll bar never jumps. */
const ROW_PX = 44;
/** Rows beyond the visible ones that have elements, so that Tab finds the next link. */
const OVERSCAN = 12;
/** How many rows before the end the next page is loaded. */
const AHEAD = 40;

/**
 * A table of any length that scrolls with the page; only visible rows have elements. Each row
 * should contain a link, by which the keyboard reaches it.
 */
export const RowList = <Item,>(props: RowListProps<Item>) => {
  const { label, columns, items, keyOf, onEnd, hasMore } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  const [scrollMargin, setScrollMargin] = useState(0);
  useLayoutEffect(() => {
    const { top = 0 } = body.current?.getBoundingClientRect() ?? {};
    setScrollMargin(top + scrollY);
  }, []);
  const virtualizer = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN,
    scrollMargin,
    getItemKey: (index) => keyOf(items[index]!),
  });
  const rows = virtualizer.getVirtualItems();
  const last = rows.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && last >= items.length - AHEAD) onEnd();
  }, [hasMore, items.length, last, onEnd]);
  return (
    <div className={css.list} style={tracksOf(columns)}>
      <table
        role="table"
        aria-label={label}
        aria-rowcount={hasMore ? -1 : items.length + 1}
        className={css.table}
      >
        <thead role="rowgroup" style={{ display: 'block' }}>
          <tr role="row" aria-rowindex={1} className={css.head}>
            {columns.map((column) => (
              <th key={column.id} role="columnheader" scope="col" className={classOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody
          ref={body}
          role="rowgroup"
          className={css.body}
          style={{ height: virtualizer.getTotalSize() }}
        >
          {rows.map(({ key, index, start, size }) => (
            <tr
              key={key}
              role="row"
              aria-rowindex={index + 2}
              className={css.row}
              style={{ height: size, translate: `0 ${start - scrollMargin}px` }}
            >
              {columns.map((column) => (
                <td key={column.id} role="cell" className={`${css.cell} ${classOf(column)}`}>
                  {column.cell(items[index]!)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {hasMore && <p className={css.more}>Loading more</p>}
    </div>
  );
};

type Track = Pick<RowColumn<never>, 'width' | 'isNumber' | 'isSecondary'>;

const tracksOf = (columns: readonly Track[]): CSSProperties => {
  const join = (tracks: readonly Track[]): string => tracks.map(({ width }) => width).join(' ');
  return {
    '--columns': join(columns),
    '--columns-narrow': join(columns.filter(({ isSecondary }) => !isSecondary)),
  } as CSSProperties;
};

const classOf = ({ isNumber, isSecondary }: Track): string =>
  `${isNumber ? css.end : ''} ${isSecondary ? css.secondary : ''}`;
