import { useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { describeError } from '../../../api/api-error.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { Notice } from '../../../ui/page-state.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { notify } from '../../../ui/toast.tsx';
import css from './mcp.module.css';
import { addServer, mcpServersQuery } from './mcp-servers-query.ts';

export const AddServerDialog = ({ onClose }: { onClose: () => void }) => {
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [url, setUrl] = useState('');
  const [authorization, setAuthorization] = useState('');
  const adding = useMutation({
    mutationFn: addServer,
    onSuccess: async ({ server }) => {
      notify(`“${server.name}” has ${server.tools.length} tools; link them to agents`);
      onClose();
      await client.invalidateQueries({ queryKey: mcpServersQuery.queryKey });
    },
  });
  const submit = (): void => {
    const headers = authorization === '' ? {} : { headers: { Authorization: authorization } };
    adding.mutate({ name, url, ...headers });
  };
  return (
    <Dialog title="Add an MCP server" isOpen onClose={onClose}>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <TextField
          label="Name"
          autoFocus
          value={name}
          onChange={setName}
          hint="Its tools are named after it, such as tickets__search"
        />
        <TextField label="URL" value={url} onChange={setUrl} placeholder="https://" />
        <TextField
          label="Authorization header"
          type="password"
          autoComplete="off"
          value={authorization}
          onChange={setAuthorization}
          hint="Sent with every request and never shown again; may be empty"
        />
        <p className="muted">The tools that the server lists now are accepted.</p>
        {adding.isError && <Notice tone="bad">{describeError(adding.error)}</Notice>}
        <DialogActions>
          <Button onPress={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isPending={adding.isPending}>
            Add the server
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
};
