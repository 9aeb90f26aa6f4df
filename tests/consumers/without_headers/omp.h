#error "a consumer of bitstep's headers needs none of OpenMP's"
