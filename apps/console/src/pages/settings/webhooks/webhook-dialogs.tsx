import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useChange } from '../../../app/use-change.ts';
import { Checkbox, CheckboxGroup } from '../../../ui/checkbox.tsx';
import { DialogForm } from '../../../ui/dialog-form.tsx';
import { ConfirmDialog, Dialog } from '../../../ui/dialog.tsx';
import { SecretDialog } from '../../../ui/secret-dialog.tsx';
import { Select } from '../../../ui/select.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { notify } from '../../../ui/toast.tsx';
import css from '../settings.module.css';
import { SCHEDULES } from './webhook-labels.ts';
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  eventsQuery,
  rotateSecret,
  WEBHOOKS_KEY,
} from './webhooks-query.ts';
import type { Webhook, WebhookDraft, WebhookEvent } from './webhooks-query.ts';

const changes = [WEBHOOKS_KEY];

/** Adds a webhook, then shows its secret once. */
export const CreateWebhookDialog = ({ onClose }: { onClose: () => void }) => {
  const creating = useChange({ run: createWebhook, changes });
  return (
    <SecretDialog
      title="Add a webhook"
      secret={creating.data?.webhook.secret}
      name="secret"
      secretTitle="Secret of the webhook"
      onClose={onClose}
    >
      <WebhookForm
        action="Add the webhook"
        isPending={creating.isPending}
        error={creating.error}
        onSubmit={creating.mutate}
        onClose={onClose}
      />
    </SecretDialog>
  );
};

type WebhookDialogProps = { webhook: Webhook; onClose: () => void };

export const EditWebhookDialog = ({ webhook, onClose }: WebhookDialogProps) => {
  const saving = useChange({
    run: (draft: WebhookDraft) => changeWebhook(webhook.id, draft),
    changes,
    onDone: onClose,
  });
  return (
    <Dialog title="Change the webhook" isOpen onClose={onClose}>
      <WebhookForm
        webhook={webhook}
        action="Save the webhook"
        isPending={saving.isPending}
        error={saving.error}
        onSubmit={saving.mutate}
        onClose={onClose}
      />
    </Dialog>
  );
};

type WebhookFormProps = {
  webhook?: Webhook;
  action: string;
  isPending: boolean;
  error: Error | null;
  onSubmit: (draft: WebhookDraft) => void;
  onClose: () => void;
};

const WebhookForm = ({ webhook, error, onSubmit, ...form }: WebhookFormProps) => {
  const catalogue = useQuery(eventsQuery);
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [description, setDescription] = useState(webhook?.description ?? '');
  const [events, setEvents] = useState<readonly string[]>(webhook?.events ?? []);
  const [retrySchedule, setRetrySchedule] = useState(webhook?.retrySchedule ?? 'standard');
  const [problem, setProblem] = useState<string>();
  const submit = (): void => {
    const found =
      url.trim() === ''
        ? 'Enter the address of your endpoint.'
        : events.length === 0
          ? 'Choose at least one event.'
          : undefined;
    setProblem(found);
    if (found !== undefined) return;
    onSubmit({
      url: url.trim(),
      events: events as WebhookEvent[],
      description: description.trim() || null,
      retrySchedule,
    });
  };
  return (
    <DialogForm {...form} problem={problem ?? error ?? catalogue.error} onSubmit={submit}>
      <TextField
        label="Endpoint"
        type="url"
        autoFocus
        value={url}
        onChange={setUrl}
        hint="A public https address, such as https://example.com/witan"
      />
      <CheckboxGroup label="Events" value={events} onChange={setEvents} isSingleColumn>
        {catalogue.data?.map(({ name, description: purpose }) => (
          <Checkbox key={name} value={name}>
            {name}
            <span className={css.note}>{purpose}</span>
          </Checkbox>
        ))}
      </CheckboxGroup>
      <Select
        label="If the endpoint fails"
        options={SCHEDULES}
        value={retrySchedule}
        onChange={setRetrySchedule}
      />
      <TextField label="Description" value={description} onChange={setDescription} />
    </DialogForm>
  );
};

export const RotateSecretDialog = ({ webhook, onClose }: WebhookDialogProps) => {
  const rotating = useChange({ run: rotateSecret, changes });
  return (
    <SecretDialog
      title="Rotate the secret"
      secret={rotating.data?.webhook.secret}
      name="secret"
      secretTitle="New secret of the webhook"
      onClose={onClose}
    >
      <DialogForm
        action="Rotate the secret"
        isPending={rotating.isPending}
        problem={rotating.error}
        onSubmit={() => rotating.mutate(webhook.id)}
        onClose={onClose}
      >
        <p>
          A new secret signs from now on. For 24 hours <code>webhook-signature</code> has a
          signature by the old one, too, so that your endpoint can change over.
        </p>
      </DialogForm>
    </SecretDialog>
  );
};

export const DeleteWebhookDialog = ({ webhook, onClose }: WebhookDialogProps) => {
  const navigate = useNavigate();
  const deleting = useChange({
    run: async () => {
      await deleteWebhook(webhook.id);
      await navigate({ to: '/settings/webhooks' });
    },
    changes,
    onDone: () => notify('The webhook is deleted'),
  });
  return (
    <ConfirmDialog
      title="Delete the webhook?"
      isOpen
      onClose={onClose}
      action="Delete the webhook"
      isPending={deleting.isPending}
      error={deleting.error}
      onConfirm={() => deleting.mutate()}
    >
      <p>{webhook.url} gets no more events. The history of its deliveries is deleted, too.</p>
    </ConfirmDialog>
  );
};
