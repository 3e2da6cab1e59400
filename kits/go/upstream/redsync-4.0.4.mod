module github.com/lockstorm/lockstorm/kits/go/upstream/redsync-4.0

go 1.24

require (
	github.com/go-redis/redis/v8 v8.11.5
	github.com/go-redsync/redsync/v4 v4.0.4
	github.com/lockstorm/lockstorm/kits/go v0.0.0
)

require (
	github.com/cespare/xxhash/v2 v2.1.2 // indirect
	github.com/dgryski/go-rendezvous v0.0.0-20200823014737-9f7001d12a5f // indirect
	github.com/hashicorp/errwrap v1.0.0 // indirect
	github.com/hashicorp/go-multierror v1.1.0 // indirect
	golang.org/x/sys v0.30.0 // indirect
)

replace github.com/lockstorm/lockstorm/kits/go => ../../
