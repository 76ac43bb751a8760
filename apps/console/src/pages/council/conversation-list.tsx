import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Failure, Skeleton } from '../../ui/page-state.tsx';
import { SideEntry, sideLinkClass, SideList, SideTitle } from '../../ui/side-list.tsx';
import { Age } from '../../ui/time.tsx';
import { conversationsQuery } from './conversations-query.ts';

/** The past conversations, newest first. */
export const ConversationList = ({ onOpen }: { onOpen?: () => void }) => {
  const list = useInfiniteQuery(conversationsQuery);
  if (list.isPending) return <Skeleton lines={6} />;
  if (list.isError) return <Failure error={list.error} onRetry={() => void list.refetch()} />;
  const conversations = list.data.pages.flatMap((page) => page.conversations);
  return (
    <SideList
      label="Conversations"
      head={<SideTitle>Conversations</SideTitle>}
      none="No conversations yet. Your first question appears here."
      onMore={list.hasNextPage ? () => void list.fetchNextPage() : undefined}
      isLoadingMore={list.isFetchingNextPage}
      entries={conversations.map(({ id, title, createdAt }) => (
        <li key={id}>
          <Link
            to="/council/$conversationId"
            params={{ conversationId: id }}
            className={sideLinkClass}
            onClick={onOpen}
          >
            <SideEntry title={title} note={<Age at={createdAt} />} />
          </Link>
        </li>
      ))}
    />
  );
};
