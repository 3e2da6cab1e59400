module github.com/lockstorm/lockstorm/kits/go/upstream/go-zero-1.2

go 1.24

require github.com/lockstorm/lockstorm/kits/go v0.0.0

require (
	github.com/go-redis/redis v6.15.9+incompatible // indirect
	github.com/spaolacci/murmur3 v1.1.0 // indirect
	github.com/tal-tech/go-zero v1.2.5
	go.opentelemetry.io/otel v1.1.0 // indirect
	go.opentelemetry.io/otel/trace v1.1.0 // indirect
	go.uber.org/automaxprocs v1.4.0 // indirect
	golang.org/x/sys v0.30.0 // indirect
	gopkg.in/yaml.v2 v2.4.0 // indirect
)

replace github.com/lockstorm/lockstorm/kits/go => ../../
