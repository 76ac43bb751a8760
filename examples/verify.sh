npx witan verify proof.json --public-key key.json --request request.json --response response.json
npx witan verify-chain chain.ndjson --public-key key.json
