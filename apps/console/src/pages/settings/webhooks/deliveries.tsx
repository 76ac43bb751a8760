import { useQuery } from '@tanstack/react-query';
import { useChange } from '../../../app/use-change.ts';
import { Button } from '../../../ui/button.tsx';
import { Badge, EmptyState, Failure, Skeleton } from '../../../ui/page-state.tsx';
import { Section } from '../../../ui/page.tsx';
import { Table } from '../../../ui/table.tsx';
import type { TableColumn } from '../../../ui/table.tsx';
import { Time } from '../../../ui/time.tsx';
import { notify, notifyError } from '../../../ui/toast.tsx';
import css from '../settings.module.css';
import { countAttempts, describeAnswer, describeDelivery } from './webhook-labels.ts';
import { deliveriesQuery, redeliver } from './webhooks-query.ts';
import type { Delivery } from './webhooks-query.ts';

type DeliveriesProps = { webhookId: string; mayChange: boolean };

/** The last deliveries of a webhook, each of which can be sent again. */
export const Deliveries = ({ webhookId, mayChange }: DeliveriesProps) => {
  const deliveries = useQuery(deliveriesQuery(webhookId));
  return (
    <Section
      title="Deliveries"
      intro="The last 50, newest first, with the answer to the last attempt of each."
      actions={
        <Button
          icon="refresh"
          isPending={deliveries.isRefetching}
          onPress={() => void deliveries.refetch()}
        >
          Refresh
        </Button>
      }
    >
      {deliveries.isPending ? (
        <Skeleton />
      ) : deliveries.isError ? (
        <Failure error={deliveries.error} onRetry={() => void deliveries.refetch()} />
      ) : deliveries.data.length === 0 ? (
        <EmptyState icon="webhook" title="No deliveries yet">
          <p>Send a test event to see whether the endpoint receives events.</p>
        </EmptyState>
      ) : (
        <Table
          label="Deliveries"
          columns={columnsOf(webhookId, mayChange)}
          items={deliveries.data}
        />
      )}
    </Section>
  );
};

const columnsOf = (webhookId: string, mayChange: boolean): TableColumn<Delivery>[] => [
  {
    id: 'event',
    title: 'Event',
    isRowHeader: true,
    cell: ({ event, createdAt }) => (
      <>
        <strong>{event}</strong>
        <span className={css.note}>
          <Time at={createdAt} />
        </span>
      </>
    ),
  },
  {
    id: 'state',
    title: 'State',
    cell: (delivery) => {
      const { label, tone } = describeDelivery(delivery);
      return <Badge tone={tone}>{label}</Badge>;
    },
  },
  { id: 'attempts', title: 'Attempts', isNumber: true, cell: countAttempts },
  { id: 'answer', title: 'Last answer', cell: describeAnswer },
  {
    id: 'actions',
    title: mayChange ? 'Actions' : '',
    cell: ({ id }) => mayChange && <RedeliverButton webhookId={webhookId} deliveryId={id} />,
  },
];

type RedeliverButtonProps = { webhookId: string; deliveryId: string };

const RedeliverButton = ({ webhookId, deliveryId }: RedeliverButtonProps) => {
  const sending = useChange({
    run: () => redeliver(webhookId, deliveryId),
    changes: [deliveriesQuery(webhookId).queryKey],
    onDone: () => notify('The event is sent again'),
    onError: notifyError,
  });
  return (
    <Button isPending={sending.isPending} onPress={() => sending.mutate()}>
      Redeliver
    </Button>
  );
};
