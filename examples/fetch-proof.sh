PROOF=$(grep -i x-service-proof headers.txt | cut -d ' ' -f 2 | tr -d '\r')
curl -s $WITAN/v1/proofs/$PROOF -H "x-api-key: $KEY" > proof.json
curl -s $WITAN/v1/proofs/export -H "x-api-key: $KEY" > chain.ndjson
curl -s $WITAN/v1/gateway/public-key > key.json
