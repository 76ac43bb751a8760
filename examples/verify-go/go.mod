module witan.example/verify

go 1.22
