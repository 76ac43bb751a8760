import { useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { useChange } from '../../../app/use-change.ts';
import { DialogForm } from '../../../ui/dialog-form.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Select } from '../../../ui/select.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { providersQuery } from '../../../app/providers-query.ts';
import { addProvider, changeProvider } from './models-query.ts';
import type { Provider, ProviderDraft } from './models-query.ts';

export const DIALECTS: readonly { value: Provider['dialect']; label: string }[] = [
  { value: 'chat-completions', label: 'OpenAI Chat Completions' },
  { value: 'messages', label: 'Anthropic Messages' },
];

type ProviderDialogProps = { provider?: Provider; onClose: () => void };

/** Adds a provider or changes one. Its key can be replaced, but is never shown. */
export const ProviderDialog = ({ provider, onClose }: ProviderDialogProps) => {
  const [name, setName] = useState(provider?.name ?? '');
  const [dialect, setDialect] = useState(provider?.dialect ?? 'chat-completions');
  const [baseUrl, setBaseUrl] = useState(provider?.baseUrl ?? '');
  const [apiKey, setApiKey] = useState('');
  const client = useQueryClient();
  const saving = useChange({
    run: (draft: ProviderDraft) =>
      provider ? changeProvider(draft, provider) : addProvider(draft),
    changes: [providersQuery.queryKey],
    onDone: onClose,
    onError: () => void client.invalidateQueries({ queryKey: providersQuery.queryKey }),
  });
  const submit = (): void =>
    saving.mutate({
      name: name.trim(),
      dialect,
      ...(baseUrl.trim() === '' ? {} : { baseUrl: baseUrl.trim() }),
      ...(apiKey === '' ? {} : { apiKey }),
    });
  return (
    <Dialog
      title={provider ? `Change “${provider.name}”` : 'Add a provider'}
      isOpen
      onClose={onClose}
    >
      <DialogForm
        action={provider ? 'Save the provider' : 'Add the provider'}
        isPending={saving.isPending}
        problem={saving.error}
        onSubmit={submit}
        onClose={onClose}
      >
        {provider === undefined && (
          <TextField
            label="Name"
            autoFocus
            value={name}
            onChange={setName}
            hint="Such as openai; targets of aliases name it"
          />
        )}
        <Select label="Dialect" options={DIALECTS} value={dialect} onChange={setDialect} />
        <TextField
          label="Address"
          type="url"
          value={baseUrl}
          onChange={setBaseUrl}
          hint="A public https address; empty: the official one of the dialect"
        />
        <TextField
          label="API key of the provider"
          type="password"
          autoComplete="off"
          value={apiKey}
          onChange={setApiKey}
          hint={
            provider
              ? 'Empty: the stored one stays, as long as dialect and address do not change'
              : 'Stored encrypted, and never shown again'
          }
        />
      </DialogForm>
    </Dialog>
  );
};
