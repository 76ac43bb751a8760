import { useCallback } from 'react';
import type { ReactNode } from 'react';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { Failure, Skeleton } from './page-state.tsx';
import { RowList } from './row-list.tsx';
import type { RowColumn } from './row-list.tsx';

type PagedRowsProps<Page, Item> = {
  label: string;
  query: UseInfiniteQueryResult<InfiniteData<Page>>;
  itemsOf: (page: Page) => readonly Item[];
  columns: readonly RowColumn<Item>[];
  keyOf: (item: Item) => string;
  /** Shown instead of a list without rows. */
  empty: ReactNode;
};

/** A RowList of a query that loads further pages when their rows come into view. */
export const PagedRows = <Page, Item>(props: PagedRowsProps<Page, Item>) => {
  const { label, query, itemsOf, columns, keyOf, empty } = props;
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const onEnd = useCallback(() => {
    if (!isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, isFetchingNextPage]);
  if (query.isPending) return <Skeleton lines={12} />;
  if (query.isError) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  const items = query.data.pages.flatMap(itemsOf);
  if (items.length === 0 && !hasNextPage) return empty;
  return (
    <RowList
      label={label}
      columns={columns}
      items={items}
      keyOf={keyOf}
      hasMore={hasNextPage}
      onEnd={onEnd}
    />
  );
};
